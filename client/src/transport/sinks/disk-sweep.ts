/** Frees the disk space of received files that no page needs any more. */
import { ifClosed, openTabs, receivedFolder } from './disk-folders'
import type { Journal } from './journal'

/** What no page has shown for so many milliseconds is removed, complete or not. */
export const UNUSED_MS = 7 * 24 * 60 * 60 * 1000

/** Removes old entries, and without an entry what was told of hashes, and in the folders of closed tabs the files. */
export async function sweepDisk(journal: Journal, now: number): Promise<void> {
  // Before the entries, so that what another tab begins meanwhile stays.
  const told = await journal.hashes.names()
  const needed = await sweepJournal(journal, now)
  const names = new Set([...needed.values()].flatMap((files) => [...files]))
  for (const name of told) if (!names.has(name)) await journal.hashes.remove(name)
  const folder = await receivedFolder()
  for await (const name of folder.keys()) {
    // A tab that starts meanwhile waits for its lock, and then makes its folder.
    await ifClosed(name, () => sweepTab(folder, name, needed.get(name)))
  }
}

/** Removes old entries, but not what an open tab shows. Returns the files of the others, by folder. */
async function sweepJournal(
  journal: Journal,
  now: number,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const needed = new Map<string, Set<string>>()
  const entries = await journal.all()
  const open = await openTabs(entries.map(([, { tab }]) => tab))
  for (const [id, { tab, folder, name, usedAt }] of entries) {
    const isOld = now - usedAt > UNUSED_MS
    if (isOld && !open.has(tab)) {
      await journal.removeFile(id, name)
      continue
    }
    if (isOld) await journal.used(id, name, { usedAt: now })
    needed.set(folder, (needed.get(folder) ?? new Set()).add(name))
  }
  return needed
}

async function sweepTab(
  folder: FileSystemDirectoryHandle,
  tab: string,
  needed: ReadonlySet<string> | undefined,
): Promise<void> {
  if (!needed) return folder.removeEntry(tab, { recursive: true }).catch(() => {})
  const files = await folder.getDirectoryHandle(tab)
  const names: string[] = []
  for await (const name of files.keys()) if (!needed.has(name)) names.push(name)
  for (const name of names) await files.removeEntry(name).catch(() => {})
}
