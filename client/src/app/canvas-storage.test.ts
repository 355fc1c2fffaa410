// @vitest-environment jsdom
import { describe, expect, it, vi } from 'vitest'
import type { BeamId, ItemId } from '../protocol/bindings'
import { type Place, reduceCanvas } from '../stores/canvas'
import { createStores } from '../stores/stores'
import { keepCanvas, MOST_PLACES, parseStored, placesIn, withBeam } from './canvas-storage'

const camera = { x: 5, y: -7, zoom: 0.5 }
const beam = (name: string) => name as BeamId
const places = (count: number): Map<ItemId, Place> =>
  new Map(Array.from({ length: count }, (_, at) => [`note ${at}` as ItemId, { x: at, y: 2 * at, z: at + 1 }]))

describe('the stored canvas', () => {
  it('keeps places, depth and view', () => {
    const stored = withBeam([], { beam: beam('a'), places: places(3), camera })
    const found = placesIn(parseStored(JSON.stringify(stored)), beam('a'))
    expect(found).toEqual({ places: places(3), camera })
  })

  it('is empty for an unknown beam', () => {
    expect(placesIn([], beam('a'))).toEqual({ places: new Map(), camera: { x: 0, y: 0, zoom: 1 } })
  })

  it.each([null, '', 'nonsense', '{}', '[{"beam":"a"}]', '[{"beam":"a","camera":[0,0,0],"places":[]}]'])(
    'is nothing when it reads %j',
    (text) => expect(parseStored(text)).toEqual([]),
  )

  it('is bounded: the oldest beams are dropped first', () => {
    const names = Array.from({ length: 30 }, (_, at) => `beam ${at}`)
    const many = names.reduce(
      (stored, name) => withBeam(stored, { beam: beam(name), places: places(1), camera }),
      parseStored(null),
    )
    expect(many).toHaveLength(20)
    expect(many[0]?.beam).toBe('beam 29')
    const full = withBeam(many, { beam: beam('big'), places: places(MOST_PLACES + 10), camera })
    expect(full.map((one) => one.beam)).toEqual(['big'])
    expect(full[0]?.places).toHaveLength(MOST_PLACES)
  })
})

it('h28_the_canvas_is_stored_under_the_new_id_of_a_renewed_link', async () => {
  localStorage.clear()
  const { session, canvas, ...others } = createStores()
  const enter = (beamId: BeamId) =>
    session.setState(
      { status: 'set', session: { beamId, beamKey: null, beamName: '', expiresAt: null } },
      true,
    )
  enter(beam('old'))
  keepCanvas({ session, canvas, ...others })
  const point: [ItemId, { x: number; y: number }] = ['note' as ItemId, { x: 1, y: 2 }]
  canvas.setState((state) => reduceCanvas(state, { type: 'placed', places: [point] }), true)
  canvas.setState((state) => reduceCanvas(state, { type: 'moved', beam: beam('new') }), true)
  enter(beam('new'))
  expect(canvas.getState().places.get('note' as ItemId)).toMatchObject({ x: 1, y: 2 })
  await vi.waitFor(() =>
    expect(placesIn(parseStored(localStorage.getItem('canvas')), beam('new')).places.size).toBe(1),
  )
})

it('a view that rests because the page is left is stored', () => {
  localStorage.clear()
  const stores = createStores()
  const { session, canvas } = stores
  session.setState(
    { status: 'set', session: { beamId: beam('left'), beamKey: null, beamName: '', expiresAt: null } },
    true,
  )
  keepCanvas(stores)
  const point: [ItemId, { x: number; y: number }] = ['note' as ItemId, { x: 1, y: 2 }]
  canvas.setState((state) => reduceCanvas(state, { type: 'placed', places: [point] }), true)
  // As the canvas, which comes later, it adds its listener after that of the storage.
  addEventListener(
    'pagehide',
    () => canvas.setState((state) => reduceCanvas(state, { type: 'rested', camera }), true),
    { once: true },
  )
  dispatchEvent(new Event('pagehide'))
  expect(placesIn(parseStored(localStorage.getItem('canvas')), beam('left')).camera).toEqual(camera)
})
