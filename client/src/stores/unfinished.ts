/** The files of which this browser has a part on its disk, of all beams and tabs. */
import { createStore } from 'zustand/vanilla'
import type { BeamId, ItemId } from '../protocol/bindings'
import type { UnfinishedFile } from '../protocol/unfinished-file'

export interface UnfinishedState {
  readonly files: readonly UnfinishedFile[]
}

export type UnfinishedEvent =
  | { type: 'listed'; files: readonly UnfinishedFile[] }
  | { type: 'discarded'; id: ItemId }

export function reduceUnfinished(state: UnfinishedState, event: UnfinishedEvent): UnfinishedState {
  if (event.type === 'discarded') return { files: state.files.filter(({ id }) => id !== event.id) }
  // The newest first.
  return { files: event.files.toSorted((a, b) => b.usedAt - a.usedAt) }
}

/** Returns the files of the beams that this page is not in. */
export function ofOtherBeams({ files }: UnfinishedState, here: BeamId | null): readonly UnfinishedFile[] {
  return files.filter(({ beam }) => beam !== here)
}

export function createUnfinishedStore() {
  return createStore<UnfinishedState>()(() => ({ files: [] }))
}
