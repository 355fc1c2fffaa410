// @vitest-environment jsdom
import { act, cleanup, fireEvent, renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Connection } from '../../stores/connection'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { useCanvasNeeded } from './canvas-needed'
import type { Stage } from './stage'

let stores: Stores
/** Ends of the loads that were begun. */
let loads: { succeed: () => void; fail: () => void }[]

const load = () =>
  new Promise<void>((resolve, reject) => {
    loads.push({ succeed: resolve, fail: () => reject(new TypeError('Importing a module script failed.')) })
  })

beforeEach(() => {
  stores = createStores()
  loads = []
  become({ status: 'live' })
})
afterEach(cleanup)

function become(connection: Connection) {
  act(() => stores.connection.setState(connection, true))
}

function atStage(stage: Stage) {
  return renderHook((now: Stage) => useCanvasNeeded(now, load), {
    initialProps: stage,
    wrapper: ({ children }: { children: ReactNode }) => (
      <AppContext value={{ stores, actions: {} as Actions }}>{children}</AppContext>
    ),
  })
}

it.each<[Stage, boolean]>([
  ['no-beam', false],
  ['alone', false],
  ['joining', true],
  ['nothing-yet', true],
  ['alone-with-notes', true],
  ['shared', true],
  ['gone', true],
])('at the stage %s the canvas is needed: %s', (stage, isNeeded) => {
  expect(atStage(stage).result.current).toBe(isNeeded)
})

it.each(['pointerMove', 'pointerDown', 'keyDown', 'dragEnter'] as const)(
  'the first %s of a person loads the canvas, once',
  async (sign) => {
    const { result } = atStage('alone')
    fireEvent[sign](document.body)
    fireEvent[sign](document.body)
    expect(loads).toHaveLength(1)
    expect(result.current).toBe(false)
    await act(async () => loads[0]?.succeed())
    expect(result.current).toBe(true)
  },
)

it('a load in advance that fails changes nothing, and is tried again over the next connection', async () => {
  const { result } = atStage('alone')
  fireEvent.pointerMove(document.body)
  await act(async () => loads[0]?.fail())
  expect(result.current).toBe(false)
  become({ status: 'reconnecting', attempt: 1, of: 5 })
  fireEvent.pointerMove(document.body)
  expect(loads).toHaveLength(1)
  become({ status: 'live' })
  fireEvent.pointerMove(document.body)
  await act(async () => loads[1]?.succeed())
  expect(result.current).toBe(true)
})

it('what is added while the server is away waits for the canvas, and no failure is shown', async () => {
  become({ status: 'reconnecting', attempt: 1, of: 5 })
  const { result, rerender } = atStage('alone')
  rerender('alone-with-notes')
  expect(loads).toHaveLength(1)
  await act(async () => loads[0]?.fail())
  expect(result.current).toBe(false)
  become({ status: 'live' })
  expect(result.current).toBe(true)
})

it('while the server is away the canvas comes from what the browser has', async () => {
  become({ status: 'reconnecting', attempt: 1, of: 5 })
  const { result } = atStage('alone-with-notes')
  await act(async () => loads[0]?.succeed())
  expect(result.current).toBe(true)
})

it('the canvas stays when its last note is deleted', () => {
  const { result, rerender } = atStage('alone-with-notes')
  rerender('alone')
  expect(result.current).toBe(true)
})
