/** The folders of received files in the browser's own disk space: one for each tab, which holds a lock with its name. */

const FOLDER = 'received'

/** Returns the folder of one tab; it is made if there is none. */
export async function tabFolder(tab: string): Promise<FileSystemDirectoryHandle> {
  return (await receivedFolder()).getDirectoryHandle(tab, { create: true })
}

/** @throws when there is no such file */
export async function fileIn(folder: string, name: string): Promise<FileSystemFileHandle> {
  return (await (await receivedFolder()).getDirectoryHandle(folder)).getFileHandle(name)
}

export async function removeFile(folder: string, name: string): Promise<void> {
  try {
    await (await (await receivedFolder()).getDirectoryHandle(folder)).removeEntry(name)
  } catch {
    // It is gone already, or a tab still writes it and removes it then.
  }
}

export async function receivedFolder(): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory()
  return root.getDirectoryHandle(FOLDER, { create: true })
}

/** Marks a tab as open for as long as this worker lives. Waits until an earlier worker of the tab has ended. */
export async function holdTab(tab: string): Promise<void> {
  await new Promise<void>((held, refused) => {
    const lock = navigator.locks.request(lockName(tab), () => {
      held()
      return new Promise(() => {})
    })
    lock.catch(refused)
  })
}

/** Does it unless the tab is open. */
export async function ifClosed(tab: string, act: () => Promise<void>): Promise<void> {
  await navigator.locks.request(lockName(tab), { ifAvailable: true }, async (lock) => {
    if (lock) await act()
  })
}

/** Returns whether a tab is closed, or was closed within some milliseconds: a page that is left ends a moment later. */
export async function closesWithin(tab: string, milliseconds: number): Promise<boolean> {
  const given = { signal: AbortSignal.timeout(milliseconds) }
  return await navigator.locks.request(lockName(tab), given, () => true).catch(() => false)
}

/** Returns which of some tabs are open. */
export async function openTabs(tabs: readonly string[]): Promise<ReadonlySet<string>> {
  const { held = [] } = await navigator.locks.query()
  const names = new Set(held.map(({ name }) => name))
  return new Set(tabs.filter((tab) => names.has(lockName(tab))))
}

function lockName(tab: string): string {
  return `${FOLDER}/${tab}`
}
