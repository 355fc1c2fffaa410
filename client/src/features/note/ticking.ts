import { useCallback } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { Tick } from '../../protocol/check-list'
import { useApp } from '../actions'
import { useMayShare } from '../session/beam'

/** Returns what a press on a box of the note's check lists does; undefined for a device that may only read. */
export function useTicking(id: ItemId): ((tick: Tick) => void) | undefined {
  const { actions } = useApp()
  const mayShare = useMayShare()
  const onTick = useCallback((tick: Tick) => actions.notes.tick(id, tick), [actions, id])
  return mayShare ? onTick : undefined
}
