/** Takes the files of a drop or a picker, and says which of them could not be read. */
import { plural } from '@lingui/core/macro'
import type { Actions } from '../actions'
import { type DroppedFiles, droppedFiles } from './dropped'
import { named } from './named'

/** Must be called while the drop event is handled. `take` is called only when there are files. */
export async function takeFiles(
  data: DataTransfer,
  actions: Pick<Actions, 'warn' | 'keepHandle'>,
  take: (files: readonly File[]) => void,
): Promise<void> {
  handOver(await droppedFiles(data), actions, take)
}

/** Hands over files that were picked or dropped. */
export function handOver(
  { files, handles, unreadable }: DroppedFiles,
  { warn, keepHandle }: Pick<Actions, 'warn' | 'keepHandle'>,
  take: (files: readonly File[]) => void,
): void {
  for (const [file, handle] of handles) keepHandle(file, handle)
  if (files.length > 0) take(files)
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
