import { useMemo } from 'react'
import { useStore } from 'zustand'
import type { UnfinishedFile } from '../../protocol/unfinished-file'
import { ofOtherBeams } from '../../stores/unfinished'
import { useApp } from '../actions'
import { useSession } from '../session/beam'

/** Returns the files of other beams of which a part is on this browser's disk. */
export function useWaiting(): readonly UnfinishedFile[] {
  const here = useSession()?.beamId ?? null
  const unfinished = useStore(useApp().stores.unfinished)
  return useMemo(() => ofOtherBeams(unfinished, here), [unfinished, here])
}
