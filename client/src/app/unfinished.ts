/** Lists the files that wait on this browser's disk for their rest, and removes those that a person gives up. */
import type { Actions } from '../features/actions'
import type { UnfinishedFile } from '../protocol/unfinished-file'
import type { Stores } from '../stores/stores'
import { reduceUnfinished } from '../stores/unfinished'
import type { PageContext } from './context'
import { askedFiles, pausedFiles } from './marked-files'

type UnfinishedActions = Pick<Actions, 'listUnfinished' | 'discardUnfinished'>

export function learnUnfinished(
  { unfinished }: Pick<Stores, 'unfinished'>,
  files: readonly UnfinishedFile[],
): void {
  unfinished.setState((state) => reduceUnfinished(state, { type: 'listed', files }), true)
}

/**
 * Asks for the list once, so that every page knows whether anything waits.
 * @param onListed called when it has come, perhaps later than the items of the beam
 */
export function createUnfinished(
  { stores, transfers }: Pick<PageContext, 'stores' | 'transfers'>,
  onListed: () => void = () => {},
): UnfinishedActions {
  stores.unfinished.subscribe(onListed)
  const listUnfinished = () => transfers.tell({ do: 'list' })
  listUnfinished()
  return {
    listUnfinished,
    discardUnfinished(id) {
      transfers.tell({ do: 'forget', id })
      // It comes no more when its beam is entered again.
      askedFiles.forget(id)
      pausedFiles.forget(id)
      stores.unfinished.setState((state) => reduceUnfinished(state, { type: 'discarded', id }), true)
    },
  }
}
