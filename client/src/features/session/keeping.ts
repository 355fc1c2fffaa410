/** The keeping of the beam as the screens read it. */
import { useStore } from 'zustand'
import { isStored, mayEndKeeping } from '../../stores/keeping'
import { useApp } from '../actions'
import { formatUntil } from './until'

/** Returns until when the beam is kept, such as `15:30`; null when it is not. */
export function useKeptUntil(): string | null {
  const until = useStore(useApp().stores.keeping, ({ kept }) => kept?.until ?? null)
  return until === null ? null : formatUntil(until, Date.now())
}

/** Whether the server stores what is shared in the beam. */
export function useIsStored(): boolean {
  const { access, keeping } = useApp().stores
  const now = useStore(access)
  return useStore(keeping, (state) => isStored(now, state))
}

export function useMayEndKeeping(): boolean {
  const { access, keeping, devices } = useApp().stores
  const now = useStore(access)
  const me = useStore(devices, (state) => state.me)
  return useStore(keeping, (state) => mayEndKeeping(now, state, me))
}

/** Whether the beam is empty because the server no longer has what was shared in it. */
export function useIsForgotten(): boolean {
  const { keeping, items } = useApp().stores
  const isEmpty = useStore(items, (state) => state.items.length === 0)
  return useStore(keeping, ({ isForgotten }) => isForgotten) && isEmpty
}
