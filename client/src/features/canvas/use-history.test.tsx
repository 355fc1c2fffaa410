// @vitest-environment jsdom
import { renderHook } from '@testing-library/react'
import type { ReactNode } from 'react'
import { beforeEach, expect, it } from 'vitest'
import type { BeamId, ItemId } from '../../protocol/bindings'
import { HOME_CAMERA, reduceCanvas } from '../../stores/canvas'
import { createStores, type Stores } from '../../stores/stores'
import { type Actions, AppContext } from '../actions'
import { Board } from './board'
import type { CanvasValue } from './canvas-context'
import { type CanvasHistory, useHistory } from './use-history'

const NOTE = 'n' as ItemId
const surroundings = {
  now: () => 0,
  nextFrame: () => () => {},
  prefersStill: () => true,
  watchHeight: () => () => {},
}
const context = {
  board: new Board(HOME_CAMERA, { width: 1440, height: 900 }, surroundings),
} as unknown as CanvasValue
let stores: Stores
let restored: number
let history: CanvasHistory

beforeEach(() => {
  stores = createStores()
  restored = 0
  const actions = {
    deleteItems: () => () => {
      restored += 1
      return true
    },
  } as Partial<Actions> as Actions
  const wrapper = ({ children }: { children: ReactNode }) => (
    <AppContext value={{ stores, actions }}>{children}</AppContext>
  )
  enters('first')
  history = renderHook(() => useHistory(context), { wrapper }).result.current
  history.remove([NOTE])
})

const enters = (beam: string) => {
  const opened = { type: 'opened', beam: beam as BeamId, places: new Map(), camera: HOME_CAMERA } as const
  stores.canvas.setState((state) => reduceCanvas(state, opened), true)
}

it('undoes nothing of the beam that was left', () => {
  enters('second')
  history.undo()
  history.redo()
  expect(restored).toBe(0)
})

it('stays when the beam gets another id', () => {
  stores.canvas.setState((state) => reduceCanvas(state, { type: 'moved', beam: 'renewed' as BeamId }), true)
  history.undo()
  expect(restored).toBe(1)
})
