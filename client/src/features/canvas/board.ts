/**
 * The mutable state of the open canvas: the current camera, the elements of the notes and their sizes. Camera moves and
 * drags change it directly, without rendering by React.
 */
import type { ItemId } from '../../protocol/bindings'
import type { Camera, CanvasState, Point } from '../../stores/canvas'
import { between, visibleBox } from './camera'
import type { Box, Size } from './geometry'
import { ASSUMED_HEIGHT, NOTE_WIDTH } from './note-size'

const FLIGHT_MS = 320

export interface Surroundings {
  /** The current time in milliseconds. */
  now(): number
  /** Runs a function before the next frame. Returns a function that cancels. */
  nextFrame(run: () => void): () => void
  prefersStill(): boolean
  /** Reports the height of an element, now and whenever it changes. Returns a function that stops. */
  watchHeight(element: HTMLElement, tell: (height: number) => void): () => void
}

export class Board {
  screen: Size
  #camera: Camera
  #flight: { readonly to: Camera; readonly end: () => void } | null = null
  readonly #listeners = new Set<() => void>()
  readonly #elements = new Map<ItemId, HTMLElement>()
  readonly #heights = new Map<ItemId, number>()
  readonly #growthListeners = new Set<(id: ItemId) => void>()
  /** Notes that this page has placed and nobody has moved since. */
  readonly loose = new Set<ItemId>()
  readonly #surroundings: Surroundings

  constructor(camera: Camera, screen: Size, surroundings: Surroundings) {
    this.#camera = camera
    this.screen = screen
    this.#surroundings = surroundings
  }

  get camera(): Camera {
    return this.#camera
  }

  /** The end of the current flight, or the camera itself when it rests. */
  get destination(): Camera {
    return this.#flight?.to ?? this.#camera
  }

  /** The visible part of the canvas. */
  get view(): Box {
    return visibleBox(this.#camera, this.screen)
  }

  get prefersStill(): boolean {
    return this.#surroundings.prefersStill()
  }

  /** Calls `listener` whenever the picture may have changed: the camera, the size of the screen, or a note's height. */
  onView(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  look(camera: Camera): void {
    this.#land()
    this.#show(camera)
  }

  resized(screen: Size): void {
    this.screen = screen
    this.#show(this.#camera)
  }

  /** Moves the camera in one animation, or at once for people who prefer reduced motion. */
  flyTo(to: Camera): void {
    const { now, nextFrame } = this.#surroundings
    this.#land()
    if (this.prefersStill) return this.#show(to)
    const from = this.#camera
    const start = now()
    let cancel = () => {}
    const step = () => {
      const part = Math.min(1, (now() - start) / FLIGHT_MS)
      if (part < 1) cancel = nextFrame(step)
      else this.#flight = null
      // Eases out: the movement is fastest at its start.
      this.#show(part === 1 ? to : between(from, to, 1 - (1 - part) ** 3))
    }
    cancel = nextFrame(step)
    this.#flight = { to, end: () => cancel() }
  }

  /** Stops a flight where it is. */
  #land(): void {
    this.#flight?.end()
    this.#flight = null
  }

  #show(camera: Camera): void {
    this.#camera = camera
    this.#changed()
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }

  /** @param drawn whether the element is drawn whole, so that its height is the note's */
  attach(id: ItemId, element: HTMLElement, drawn: boolean): () => void {
    this.#elements.set(id, element)
    if (!drawn) return () => this.#elements.delete(id)
    const unwatch = this.#surroundings.watchHeight(element, (height) => this.sized(id, height))
    return () => {
      unwatch()
      this.#elements.delete(id)
    }
  }

  /** Sets the height of a note. */
  sized(id: ItemId, height: number): void {
    const before = this.#heights.get(id)
    if (height === before) return
    this.#heights.set(id, height)
    this.#changed()
    if (before === undefined || height < before) return
    for (const listener of this.#growthListeners) listener(id)
  }

  /** Calls `listener` when a note of known height has become higher. */
  onGrowth(listener: (id: ItemId) => void): () => void {
    this.#growthListeners.add(listener)
    return () => this.#growthListeners.delete(listener)
  }

  element(id: ItemId): HTMLElement | undefined {
    return this.#elements.get(id)
  }

  /** Returns the box of a note. Its height is assumed until it is measured. */
  boxOf(id: ItemId, place: Point): Box {
    return { x: place.x, y: place.y, width: NOTE_WIDTH, height: this.#heights.get(id) ?? ASSUMED_HEIGHT }
  }

  /** Iterates over the notes of the list that have a place. */
  *boxes(ids: Iterable<ItemId>, places: CanvasState['places']): Generator<readonly [ItemId, Box]> {
    for (const id of ids) {
      const place = places.get(id)
      if (place) yield [id, this.boxOf(id, place)]
    }
  }
}
