import { useMemo } from 'react'
import { useStore } from 'zustand'
import { useShallow } from 'zustand/react/shallow'
import type { UnfinishedFile } from '../../protocol/unfinished-file'
import { ofOtherBeams } from '../../stores/unfinished'
import { useApp } from '../actions'
import { useSession } from '../session/beam'

/** Returns the files of other beams of which a part is on this browser's disk. */
export function useWaiting(): readonly UnfinishedFile[] {
  const { stores } = useApp()
  const here = useSession()?.beamId ?? null
  const unfinished = useStore(stores.unfinished)
  const elsewhere = useMemo(() => ofOtherBeams(unfinished, here), [unfinished, here])
  // A beam whose link was renewed has another id than the files that were begun before.
  return useStore(
    stores.transfers,
    useShallow(({ transfers }) => elsewhere.filter(({ id }) => !transfers[id])),
  )
}
