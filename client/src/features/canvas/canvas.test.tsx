// @vitest-environment jsdom
import { act, cleanup, render } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { BeamId, ItemId, LiveItem } from '../../protocol/bindings'
import { liveItem } from '../../protocol/item'
import { HOME_CAMERA, reduceCanvas } from '../../stores/canvas'
import { reduceItems } from '../../stores/items'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { Canvas } from './canvas'

/** How often React rendered each note. */
const draws = vi.hoisted(() => new Map<string, number>())

vi.mock('../card/note-card', () => ({
  NoteCard: ({ card }: { card: { id: string } }) => {
    draws.set(card.id, (draws.get(card.id) ?? 0) + 1)
    return <article>{card.id}</article>
  },
}))

class NoSizes {
  observe() {}
  unobserve() {}
  disconnect() {}
}

let stores: Stores

beforeEach(() => {
  draws.clear()
  vi.stubGlobal('ResizeObserver', NoSizes)
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  HTMLCanvasElement.prototype.getContext = () => null
  stores = createStores()
  stores.canvas.setState((state) =>
    reduceCanvas(state, { type: 'opened', beam: 'beam' as BeamId, places: new Map(), camera: HOME_CAMERA }),
  )
  render(
    <AppContext value={{ stores, actions: {} as Actions }}>
      <Canvas />
    </AppContext>,
  )
})

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function share(name: string, seq: number) {
  const item: LiveItem = {
    id: name as ItemId,
    seq,
    from: 'bob' as LiveItem['from'],
    at: 0,
    message: name,
    extra: 'text',
  }
  act(() =>
    stores.items.setState((state) => reduceItems(state, { type: 'received', item: liveItem(item, null) })),
  )
}

it('renders only the new note when one arrives', () => {
  for (let seq = 1; seq <= 30; seq += 1) share(`note ${seq}`, seq)
  const before = new Map(draws)
  share('one more', 31)
  expect(draws.get('one more')).toBeGreaterThan(0)
  for (const [id, count] of before) expect([id, draws.get(id)]).toEqual([id, count])
})

it('renders only the notes that are moved', () => {
  for (let seq = 1; seq <= 5; seq += 1) share(`note ${seq}`, seq)
  const before = new Map(draws)
  act(() =>
    stores.canvas.setState((state) =>
      reduceCanvas(state, { type: 'placed', places: [['note 3' as ItemId, { x: 900, y: 700 }]] }),
    ),
  )
  for (const [id, count] of before) if (id !== 'note 3') expect([id, draws.get(id)]).toEqual([id, count])
})

it('brings the note that is pointed out into view and to the front, and makes it flash', () => {
  const flashed: (string | null)[] = []
  HTMLElement.prototype.animate = function animate() {
    flashed.push(this.textContent)
    return {} as Animation
  }
  for (const name of ['far away', 'near']) share(name, 1)
  const id = 'far away' as ItemId
  act(() =>
    stores.canvas.setState((state) =>
      reduceCanvas(state, { type: 'placed', places: [[id, { x: 9000, y: 7000 }]] }),
    ),
  )
  act(() => stores.pointedOut.setState({ id, times: 1 }))
  expect(flashed).toEqual(['far away'])
  const { places } = stores.canvas.getState()
  expect(places.get(id)?.z).toBeGreaterThan(places.get('near' as ItemId)?.z ?? 0)
  // Leaving the canvas stores where the view is.
  cleanup()
  const { x, y, zoom } = stores.canvas.getState().camera
  expect(zoom).toBe(1)
  expect(9000 - x).toBeLessThan(window.innerWidth)
  expect(7000 - y).toBeLessThan(window.innerHeight)
})

it('keeps the buttons of the note in use at their size when the view is zoomed', () => {
  share('note', 1)
  const note = document.querySelector<HTMLElement>('[data-note="note"]')
  const article = note?.querySelector('article')
  article?.setAttribute('tabindex', '0')
  act(() => article?.focus())
  expect(note?.style.getPropertyValue('--steady')).toBe('1')
  act(() => document.querySelector<HTMLElement>('button[aria-label="Zoom in"]')?.click())
  expect(note?.style.getPropertyValue('--steady')).toBe('0.8')
})

it('no longer announces a new note that is moved into view', () => {
  share('here', 1)
  const far = { type: 'placed', places: [['here' as ItemId, { x: 0, y: 0 }]] } as const
  act(() => stores.canvas.setState((state) => reduceCanvas(state, far)))
  for (let seq = 2; seq <= 30; seq += 1) share(`note ${seq}`, seq)
  const chip = () => document.querySelector('button[title="Show it"]')
  expect(chip()).not.toBeNull()
  const places = stores.items.getState().items.map(({ id }) => [id, { x: 0, y: 0 }] as const)
  act(() => stores.canvas.setState((state) => reduceCanvas(state, { type: 'placed', places })))
  expect(chip()).toBeNull()
})

it('shows a device that joins a shared arrangement the newest note', () => {
  const from = 'bob' as LiveItem['from']
  const items = ['far above', 'far below'].map((name, at) =>
    liveItem({ id: name as ItemId, seq: at + 1, from, at: 0, message: name, extra: 'text' }, null),
  )
  const places = items.map(({ id }, at) => [id, { x: 100, y: at * 5000 }] as const)
  stores.canvas.setState((state) => reduceCanvas(state, { type: 'arranged', shared: true, places }))
  const synced = { type: 'synced', epoch: 'e', oldest: 1, items, saved: false } as const
  act(() => stores.items.setState((state) => reduceItems(state, synced)))
  const { camera } = stores.canvas.getState()
  expect(5000 - camera.y).toBeGreaterThan(0)
  expect(5000 - camera.y).toBeLessThan(window.innerHeight)
})

it('shows a device that joins late the newest of more notes than fit the view', () => {
  const items = Array.from({ length: 60 }, (_, at) => {
    const name = `note ${at + 1}`
    const from = 'bob' as LiveItem['from']
    return liveItem({ id: name as ItemId, seq: at + 1, from, at: 0, message: name, extra: 'text' }, null)
  })
  const synced = { type: 'synced', epoch: 'e', oldest: 1, items, saved: false } as const
  act(() => stores.items.setState((state) => reduceItems(state, synced)))
  const { places, camera } = stores.canvas.getState()
  const isInView = ({ x, y }: { x: number; y: number }) =>
    x >= camera.x && y >= camera.y && x < camera.x + window.innerWidth && y < camera.y + window.innerHeight
  const inView = items.filter(({ id }) => isInView(places.get(id) ?? { x: -1, y: -1 })).map(({ seq }) => seq)
  expect(inView.length).toBeGreaterThan(0)
  expect(inView).toEqual(items.slice(-inView.length).map(({ seq }) => seq))
})
