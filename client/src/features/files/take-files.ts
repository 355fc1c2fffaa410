/** Takes the files of a drop or a picker, and says which of them could not be read. */
import { plural } from '@lingui/core/macro'
import type { Actions, Destination } from '../actions'
import { type DroppedFiles, droppedFiles } from './dropped'
import { named } from './named'

type Taking = Pick<Actions, 'warn' | 'keepHandle' | 'shareFiles' | 'shareFolders' | 'readsFolder'>

/** Shares the files and folders of a drop. Must be called while its event is handled. Resolves to whether there were any. */
export async function takeFiles(
  data: DataTransfer,
  actions: Taking,
  destination?: Destination,
): Promise<boolean> {
  const reading = actions.readsFolder()
  const dropped = await droppedFiles(data, reading.found).finally(reading.end)
  handOver(dropped, actions, destination)
  return dropped.files.length + dropped.folders.length > 0
}

/** Shares files and folders that were picked or dropped. */
export function handOver(
  { files, folders, handles, unreadable }: DroppedFiles,
  { warn, keepHandle, shareFiles, shareFolders }: Omit<Taking, 'readsFolder'>,
  destination: Destination = {},
): void {
  for (const [file, handle] of handles) keepHandle(file, handle)
  if (files.length > 0) shareFiles(files, destination)
  if (folders.length > 0) shareFolders(folders, destination)
  if (unreadable.length > 0) warn(unreadableText(unreadable))
}

function unreadableText(unreadable: readonly string[]): string {
  const count = unreadable.length
  const names = named(unreadable)
  return plural(count, {
    1: `${names} could not be read. Check that it is still there.`,
    other: `${names} could not be read. Check that they are still there.`,
  })
}
