/** Takes the files of a drop or a picker, and says which of them could not be read. */
import { plural } from '@lingui/core/macro'
import type { Actions, Chosen, Destination } from '../actions'
import { type DroppedFiles, droppedFiles } from './dropped'
import { named } from './named'

type Noting = Pick<Actions, 'warn' | 'keepHandle'>
type Sharing = Pick<Actions, 'shareFiles' | 'shareFolders'>

/** Shares the files and folders of a drop. Must be called while its event is handled. Resolves to whether there were any. */
export async function takeFiles(
  data: DataTransfer,
  actions: Noting & Sharing & Pick<Actions, 'readsFolder'>,
  destination?: Destination,
): Promise<boolean> {
  const reading = actions.readsFolder()
  const dropped = await droppedFiles(data, reading.found).finally(reading.end)
  handOver(dropped, actions, sharesTo(actions, destination))
  return dropped.files.length + dropped.folders.length > 0
}

/** Hands over files and folders that were picked or dropped. */
export function handOver(
  { files, folders, handles, unreadable }: DroppedFiles,
  { warn, keepHandle }: Noting,
  take: (chosen: Chosen) => void,
): void {
  for (const [what, handle] of handles) keepHandle(what, handle)
  if (files.length + folders.length > 0) take({ files, folders })
  if (unreadable.length > 0) warn(unreadableText(unreadable))
}

/** Returns what shares them. */
export function sharesTo(
  { shareFiles, shareFolders }: Sharing,
  destination: Destination = {},
): (chosen: Chosen) => void {
  return ({ files, folders }) => {
    if (files.length > 0) shareFiles(files, destination)
    if (folders.length > 0) shareFolders(folders, destination)
  }
}

function unreadableText(unreadable: readonly string[]): string {
  const count = unreadable.length
  const names = named(unreadable)
  return plural(count, {
    1: `${names} could not be read. Check that it is still there.`,
    other: `${names} could not be read. Check that they are still there.`,
  })
}
