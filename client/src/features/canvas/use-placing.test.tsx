// @vitest-environment jsdom
import { act, cleanup, renderHook } from '@testing-library/react'
import { type ReactNode, useLayoutEffect, useState } from 'react'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { BeamId, DeviceId, ItemId } from '../../protocol/bindings'
import { liveItem } from '../../protocol/item'
import { type Camera, HOME_CAMERA, type Point, reduceCanvas } from '../../stores/canvas'
import type { Card } from '../../stores/cards'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { Board } from './board'
import type { CanvasValue, ViewState } from './canvas-context'
import { useMakingWay } from './use-making-way'
import { usePlacing } from './use-placing'

const UPPER = 'upper' as ItemId
const LOWER = 'lower' as ItemId
const NONE: readonly Card[] = []
const surroundings = {
  now: () => 0,
  nextFrame: () => () => {},
  prefersStill: () => true,
  watchHeight: () => () => {},
}

let stores: Stores
let board: Board

beforeEach(() => {
  stores = createStores()
  const places = new Map([
    [UPPER, { x: 0, y: 0, z: 1 }],
    [LOWER, { x: 0, y: 120, z: 2 }],
  ])
  const opened = { type: 'opened', beam: 'b' as BeamId, places, camera: HOME_CAMERA } as const
  stores.canvas.setState((state) => reduceCanvas(state, opened), true)
  board = new Board(HOME_CAMERA, { width: 1440, height: 900 }, surroundings)
  board.loose.add(LOWER)
  board.sized(UPPER, 100)
  board.sized(LOWER, 100)
})
afterEach(cleanup)

const note = (id: ItemId, seq = 1) =>
  liveItem({ id, seq, from: 'ada' as DeviceId, at: 0, message: id, extra: 'text' }, null)

function holds(...ids: ItemId[]) {
  stores.items.setState({ items: ids.map((id) => note(id)), epoch: 'e' })
}

function opens(hook: (context: CanvasValue) => void) {
  const view = createStore<ViewState>()(() => ({
    drawn: new Set(),
    measured: new Set(),
    unseen: new Set(),
    arrived: new Set(),
    menu: null,
  }))
  const context: CanvasValue = { board, view }
  const wrapper = ({ children }: { children: ReactNode }) => (
    <AppContext value={{ stores, actions: {} as Actions }}>{children}</AppContext>
  )
  const { rerender } = renderHook(() => hook(context), { wrapper })
  return { view, rerender }
}

function hears(id: ItemId, at: Point) {
  const news = { type: 'arranged', shared: true, places: [[id, at]] } as const
  stores.canvas.setState((state) => reduceCanvas(state, news), true)
}
const placeOf = (id: ItemId) => stores.canvas.getState().places.get(id)

describe('a note that grows', () => {
  it('moves the one below that nobody has put there', () => {
    holds(UPPER, LOWER)
    opens((context) => usePlacing(context, NONE))
    hears(LOWER, { x: 0.4, y: 120 })
    board.sized(UPPER, 300)
    expect(placeOf(LOWER)?.y).toBeGreaterThan(300)
  })

  it('leaves one where another device has put it', () => {
    holds(UPPER, LOWER)
    opens((context) => usePlacing(context, NONE))
    hears(LOWER, { x: 10, y: 130 })
    board.sized(UPPER, 300)
    expect(placeOf(LOWER)?.y).toBe(130)
  })

  it('leaves the place of one that was deleted', () => {
    holds(UPPER)
    opens((context) => usePlacing(context, NONE))
    board.sized(UPPER, 300)
    expect(placeOf(LOWER)?.y).toBe(120)
  })
})

it('does not move the view for a note that was deleted', () => {
  const behindCode = { x: 300, y: 400, z: 1 }
  const flights: Camera[] = []
  board.flyTo = (to) => flights.push(to)
  stores.devices.setState({ devices: [{ device_id: 'me' as DeviceId, name: 'me', caps: [] }] })
  stores.canvas.setState({ places: new Map([[UPPER, behindCode]]) })
  opens(useMakingWay)
  expect(flights).toEqual([])
  cleanup()
  holds(UPPER)
  opens(useMakingWay)
  expect(flights).toHaveLength(1)
})

describe('the view of a device that joins a shared arrangement', () => {
  function joins(upper: Point) {
    const cards = [note(UPPER, 1), note(LOWER, 2)]
    stores.items.setState({ items: cards, epoch: 'e' })
    const at = [upper, { x: 300, y: 300 }]
    const places = new Map(cards.map(({ id }, index) => [id, { ...(at[index] ?? upper), z: index }]))
    stores.canvas.setState({ shared: true, places })
    opens((context) => usePlacing(context, cards))
    return board.camera
  }

  it('shows all that fit', () => {
    expect(joins({ x: -500, y: 280 })).toEqual({ x: -548, y: 0, zoom: 1 })
  })

  it('shows the newest of more', () => {
    expect(joins({ x: -5000, y: 280 })).toEqual(HOME_CAMERA)
  })
})

it('places a note with all its parts, of which some are drawn after it was measured', () => {
  const [first, second] = [note('first' as ItemId, 1), note('second' as ItemId, 2)]
  holds()
  stores.canvas.setState({ places: new Map() })
  const cards = [first, second]
  stores.items.setState({ items: cards, epoch: 'e' })
  board.resized({ width: 400, height: 900 })
  opens((context) => {
    const [height, setHeight] = useState(100)
    const isDrawn = useStore(context.view, ({ measured }) => measured.size > 0)
    useLayoutEffect(() => {
      if (!isDrawn) return
      for (const { id } of cards) {
        const element = document.createElement('li')
        Object.defineProperty(element, 'offsetHeight', { value: height })
        board.attach(id, element, true)
      }
      // A text finds out that it is longer than twelve lines.
      setHeight(340)
    }, [height, isDrawn])
    usePlacing(context, cards)
  })
  const [above, below] = cards.map(({ id }) => placeOf(id)?.y ?? 0)
  expect((below ?? 0) - (above ?? 0)).toBe(340 + 28)
})

it('counts as new only what came after all that have a place', () => {
  const [known, older, newer] = [note(UPPER, 5), note('older' as ItemId, 3), note('newer' as ItemId, 9)]
  let cards: readonly Card[] = [known]
  stores.items.setState({ items: [known], epoch: 'e' })
  const { view, rerender } = opens((context) => usePlacing(context, cards))
  board.look({ x: 50_000, y: 50_000, zoom: 1 })
  stores.canvas.setState({ drops: new Map([older, newer].map(({ id }) => [id, { x: -9_000, y: 0 }])) })
  cards = [older, known, newer]
  act(() => stores.items.setState({ items: [older, known, newer] }))
  rerender()
  expect([...view.getState().unseen]).toEqual(['newer'])
})
