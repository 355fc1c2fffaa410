/** The canvas of this device: the places of notes, the selection, and the view once it rests. */
import { createStore } from 'zustand/vanilla'
import type { BeamId, ItemId } from '../protocol/bindings'

/** A point of the canvas, or of the screen, in CSS pixels. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** The upper left corner of a note. A note with a larger `z` is in front. */
export interface Place extends Point {
  readonly z: number
}

/** The canvas point at the upper left corner of the screen, and the number of screen pixels per canvas pixel. */
export interface Camera extends Point {
  readonly zoom: number
}

export interface CanvasState {
  readonly beam: BeamId | null
  readonly places: ReadonlyMap<ItemId, Place>
  readonly selected: ReadonlySet<ItemId>
  /** Where on the screen the items were dropped that have no place yet. */
  readonly drops: ReadonlyMap<ItemId, Point>
  /** Whether the notes lie in the same places for everybody (S35). */
  readonly shared: boolean
  /** Where the notes were that another device moved last, so that they can glide from there. */
  readonly arranged: ReadonlyMap<ItemId, Point>
  /** The notes that are held here, and where. They follow no other device meanwhile. */
  readonly held: ReadonlyMap<ItemId, Point>
  /** The view after its last movement; intermediate views are not stored. */
  readonly camera: Camera
}

export type CanvasEvent =
  /** Another beam was entered; the rest is what this device stored for it. */
  | { type: 'opened'; beam: BeamId | null; places: ReadonlyMap<ItemId, Place>; camera: Camera }
  /** The beam has another id (H28). Nothing else changes. */
  | { type: 'moved'; beam: BeamId }
  /** Notes move to new places. Notes that had none are put in front. */
  | { type: 'placed'; places: Iterable<readonly [ItemId, Point]> }
  /** Items that are about to be shared were dropped at a point of the screen. */
  | { type: 'dropped'; ids: Iterable<ItemId>; at: Point }
  /** The shared arrangement has changed (S35). */
  | { type: 'arranged'; shared: boolean; places: Iterable<readonly [ItemId, Point]> }
  /** Notes are held, or none any more. */
  | { type: 'held'; places: Iterable<readonly [ItemId, Point]> }
  | { type: 'raised'; ids: Iterable<ItemId> }
  | { type: 'selected'; ids: Iterable<ItemId> }
  | { type: 'rested'; camera: Camera }

export const HOME_CAMERA: Camera = { x: 0, y: 0, zoom: 1 }

const EMPTY: CanvasState = {
  beam: null,
  places: new Map(),
  selected: new Set(),
  drops: new Map(),
  shared: false,
  arranged: new Map(),
  held: new Map(),
  camera: HOME_CAMERA,
}

/** Applies an event to the canvas. */
export function reduceCanvas(state: CanvasState, event: CanvasEvent): CanvasState {
  switch (event.type) {
    case 'opened':
      return { ...EMPTY, beam: event.beam, places: event.places, camera: event.camera }
    case 'moved':
      return { ...state, beam: event.beam }
    case 'placed':
      return placed(state, [...event.places])
    case 'arranged':
      return arranged(state, event.shared, [...event.places])
    case 'held':
      return { ...state, held: new Map(event.places) }
    case 'dropped':
      return {
        ...state,
        drops: new Map([...state.drops, ...[...event.ids].map((id) => [id, event.at] as const)]),
      }
    case 'raised':
      return { ...state, places: withRaised(state.places, event.ids) }
    case 'selected':
      return withSelected(state, new Set(event.ids))
    case 'rested':
      return { ...state, camera: event.camera }
  }
}

function placed(state: CanvasState, points: readonly (readonly [ItemId, Point])[]): CanvasState {
  const places = new Map(state.places)
  let top = front(state.places)
  for (const [id, { x, y }] of points) places.set(id, { x, y, z: state.places.get(id)?.z ?? ++top })
  if (!points.some(([id]) => state.drops.has(id))) return { ...state, places }
  const drops = new Map(state.drops)
  for (const [id] of points) drops.delete(id)
  return { ...state, places, drops }
}

function arranged(
  state: CanvasState,
  shared: boolean,
  points: readonly (readonly [ItemId, Point])[],
): CanvasState {
  const moves = points.filter(([id]) => !state.held.has(id))
  const before = moves.flatMap(([id]) => {
    const place = state.places.get(id)
    return place ? [[id, place] as const] : []
  })
  return { ...placed(state, moves), shared, arranged: new Map(before) }
}

function withRaised(old: CanvasState['places'], ids: Iterable<ItemId>): CanvasState['places'] {
  const places = new Map(old)
  let top = front(old)
  // Notes that are raised together keep their order.
  const raised = [...ids].flatMap((id) => {
    const place = old.get(id)
    return place ? [{ id, place }] : []
  })
  raised.sort((a, b) => a.place.z - b.place.z)
  for (const { id, place } of raised) places.set(id, { ...place, z: ++top })
  return places
}

function withSelected(state: CanvasState, selected: ReadonlySet<ItemId>): CanvasState {
  const same = selected.size === state.selected.size && [...selected].every((id) => state.selected.has(id))
  return same ? state : { ...state, selected }
}

function front(places: CanvasState['places']): number {
  let top = 0
  for (const { z } of places.values()) top = Math.max(top, z)
  return top
}

export function createCanvasStore() {
  return createStore<CanvasState>()(() => EMPTY)
}
