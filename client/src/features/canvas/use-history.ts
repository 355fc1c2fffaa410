/** Undo and redo of this device's actions on the canvas. */
import { useEffect, useMemo, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { reduceCanvas } from '../../stores/canvas'
import { type Actions, useApp } from '../actions'
import type { Board } from './board'
import type { CanvasValue } from './canvas-context'
import { type History, type Move, NO_HISTORY, recorded, redo, type Step, undo, withRestore } from './history'

export interface CanvasHistory {
  /** Moves notes. A `repeated` move, by a key that is held down, is undone together with the one before. */
  move(moves: readonly Move[], repeated?: boolean): void
  /** Deletes notes in a way that can be undone. */
  remove(ids: readonly ItemId[]): void
  undo(): void
  redo(): void
}

export function useHistory({ board }: CanvasValue): CanvasHistory {
  const { stores, actions } = useApp()
  const history = useRef<History>(NO_HISTORY)
  useEffect(
    () =>
      stores.canvas.subscribe((now, before) => {
        // Another beam was entered. A renewed link (H28) changes the id as well, but leaves the notes where they are.
        if (now.beam !== before.beam && now.places !== before.places) history.current = NO_HISTORY
      }),
    [stores],
  )
  return useMemo(() => createHistory(history, board, stores.canvas, actions), [board, stores, actions])
}

function createHistory(
  history: { current: History },
  board: Board,
  canvas: ReturnType<typeof useApp>['stores']['canvas'],
  actions: Pick<Actions, 'deleteItems'>,
): CanvasHistory {
  const put = (moves: readonly Move[], to: 'from' | 'to') => {
    const places = moves.map((one) => [one.id, one[to]] as const)
    for (const { id } of moves) board.loose.delete(id)
    canvas.setState((state) => reduceCanvas(state, { type: 'placed', places }), true)
  }
  /** Reverts a step. Returns false when there was nothing left to revert. */
  const takeBack = (step: Step): boolean => {
    if (step.kind === 'moved') {
      put(step.moves, 'from')
      return true
    }
    return step.restore()
  }
  return {
    move(moves, repeated = false) {
      put(moves, 'to')
      history.current = recorded(history.current, { kind: 'moved', moves }, repeated)
    },
    remove(ids) {
      const restore = actions.deleteItems(ids)
      if (restore) history.current = recorded(history.current, { kind: 'deleted', ids, restore })
    },
    undo() {
      // Deletions that the toast has already undone are skipped.
      for (let back = undo(history.current); back; back = undo(history.current)) {
        history.current = back.history
        if (takeBack(back.step)) return
      }
    },
    redo() {
      const again = redo(history.current)
      if (!again) return
      history.current = again.history
      if (again.step.kind === 'moved') return put(again.step.moves, 'to')
      const restore = actions.deleteItems(again.step.ids)
      if (restore) history.current = withRestore(history.current, restore)
    },
  }
}
