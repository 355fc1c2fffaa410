import { describe, expect, it } from 'vitest'
import type { BeamId, ItemId } from '../protocol/bindings'
import { type CanvasState, HOME_CAMERA, reduceCanvas } from './canvas'

const [a, b, c] = ['a', 'b', 'c'] as ItemId[] as [ItemId, ItemId, ItemId]
const empty: CanvasState = {
  beam: 'beam' as BeamId,
  places: new Map(),
  selected: new Set(),
  drops: new Map(),
  shared: false,
  arranged: new Map(),
  held: new Map(),
  camera: HOME_CAMERA,
}
const placed = reduceCanvas(empty, {
  type: 'placed',
  places: [
    [a, { x: 1, y: 2 }],
    [b, { x: 3, y: 4 }],
  ],
})

describe('the shared arrangement', () => {
  it('moves notes and tells where they were, except those that are held here', () => {
    const held = reduceCanvas(placed, { type: 'held', places: [[b, { x: 3, y: 4 }]] })
    const places = [a, b, c].map((id) => [id, { x: 70, y: 80 }] as const)
    const after = reduceCanvas(held, { type: 'arranged', shared: true, places })
    expect(after.shared).toBe(true)
    expect(after.places.get(a)).toEqual({ x: 70, y: 80, z: 1 })
    expect(after.places.get(b)).toEqual({ x: 3, y: 4, z: 2 })
    expect(after.places.get(c)).toEqual({ x: 70, y: 80, z: 3 })
    expect([...after.arranged.keys()]).toEqual([a])
  })
})

describe('the places of notes', () => {
  it('are asked for at the point where an item was dropped, until it has one', () => {
    const dropped = reduceCanvas(placed, { type: 'dropped', ids: [c], at: { x: 300, y: 200 } })
    expect(dropped.drops).toEqual(new Map([[c, { x: 300, y: 200 }]]))
    const landed = reduceCanvas(dropped, { type: 'placed', places: [[c, { x: 0, y: 0 }]] })
    expect(landed.drops.size).toBe(0)
  })

  it('put new notes in front, and keep the depth of moved ones', () => {
    expect(placed.places.get(b)).toEqual({ x: 3, y: 4, z: 2 })
    const moved = reduceCanvas(placed, { type: 'placed', places: [[a, { x: 9, y: 9 }]] })
    expect(moved.places.get(a)).toEqual({ x: 9, y: 9, z: 1 })
    expect(moved.places.get(b)).toBe(placed.places.get(b))
  })

  it('raise notes together, in the order that they had', () => {
    const three = reduceCanvas(placed, { type: 'placed', places: [[c, { x: 0, y: 0 }]] })
    const { places } = reduceCanvas(three, { type: 'raised', ids: [b, a] })
    const depth = (id: ItemId) => places.get(id)?.z ?? 0
    expect(depth(a)).toBeGreaterThan(depth(c))
    expect(depth(b)).toBeGreaterThan(depth(a))
  })

  it('are those of the beam that is opened', () => {
    const other = reduceCanvas(placed, {
      type: 'opened',
      beam: 'other' as BeamId,
      places: new Map(),
      camera: HOME_CAMERA,
    })
    expect(other.places.size).toBe(0)
    expect(other.selected.size).toBe(0)
  })

  it('stay the same value when the same notes are selected again', () => {
    const selected = reduceCanvas(placed, { type: 'selected', ids: [a] })
    expect(reduceCanvas(selected, { type: 'selected', ids: [a] })).toBe(selected)
  })
})
