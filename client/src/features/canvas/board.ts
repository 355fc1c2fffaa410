/**
 * What the canvas knows of the page while it is open: where the camera is at this moment, the elements of the notes and
 * their sizes. Moving the camera and dragging notes go through here, past React.
 */
import type { ItemId } from '../../protocol/bindings'
import type { Camera, CanvasState, Point } from '../../stores/canvas'
import { between, visibleBox } from './camera'
import type { Box, Size } from './geometry'
import { ASSUMED_HEIGHT, NOTE_WIDTH } from './note-size'

const FLIGHT_MS = 320

export interface Surroundings {
  /** The moment, in milliseconds. */
  now(): number
  /** Runs something before the next picture; answers how to call it off. */
  nextFrame(run: () => void): () => void
  prefersStill(): boolean
  /** Tells the height of an element now and whenever it changes. */
  watchHeight(element: HTMLElement, tell: (height: number) => void): () => void
}

export class Board {
  screen: Size
  #camera: Camera
  #flight: { readonly to: Camera; readonly end: () => void } | null = null
  readonly #listeners = new Set<() => void>()
  readonly #elements = new Map<ItemId, HTMLElement>()
  readonly #heights = new Map<ItemId, number>()
  readonly #surroundings: Surroundings

  constructor(camera: Camera, screen: Size, surroundings: Surroundings) {
    this.#camera = camera
    this.screen = screen
    this.#surroundings = surroundings
  }

  get camera(): Camera {
    return this.#camera
  }

  /** Where the camera is, or will be once it has arrived. */
  get destination(): Camera {
    return this.#flight?.to ?? this.#camera
  }

  /** The part of the canvas that is on the screen. */
  get view(): Box {
    return visibleBox(this.#camera, this.screen)
  }

  /** Called whenever the picture may have changed: the view's place, its zoom or size, or a note's height. */
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

  /** Goes there in one sweep, or at once where motion is not wanted. */
  flyTo(to: Camera): void {
    const { now, nextFrame, prefersStill } = this.#surroundings
    this.#land()
    if (prefersStill()) return this.#show(to)
    const from = this.#camera
    const start = now()
    let cancel = () => {}
    const step = () => {
      const part = Math.min(1, (now() - start) / FLIGHT_MS)
      if (part < 1) cancel = nextFrame(step)
      else this.#flight = null
      // Eases out: most of the way comes first.
      this.#show(part === 1 ? to : between(from, to, 1 - (1 - part) ** 3))
    }
    cancel = nextFrame(step)
    this.#flight = { to, end: () => cancel() }
  }

  /** Ends a flight where it is. */
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

  /** @param drawn whether it has the height of its note */
  attach(id: ItemId, element: HTMLElement, drawn: boolean): () => void {
    this.#elements.set(id, element)
    if (!drawn) return () => this.#elements.delete(id)
    const unwatch = this.#surroundings.watchHeight(element, (height) => {
      this.#heights.set(id, height)
      this.#changed()
    })
    return () => {
      unwatch()
      this.#elements.delete(id)
    }
  }

  element(id: ItemId): HTMLElement | undefined {
    return this.#elements.get(id)
  }

  /** Where a note is and how large: measured, or assumed until it is. */
  boxOf(id: ItemId, place: Point): Box {
    return { x: place.x, y: place.y, width: NOTE_WIDTH, height: this.#heights.get(id) ?? ASSUMED_HEIGHT }
  }

  /** Every note of the list that has a place. */
  *boxes(ids: Iterable<ItemId>, places: CanvasState['places']): Generator<readonly [ItemId, Box]> {
    for (const id of ids) {
      const place = places.get(id)
      if (place) yield [id, this.boxOf(id, place)]
    }
  }
}
