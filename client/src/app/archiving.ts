/** Saves files of an item that is many (F16) as one archive, which is never in memory as a whole where there is a disk. */
import { savedPaths } from '../protocol/saved-names'
import { newArchiveFile, sweepArchives } from '../transport/archive-file'
import { loadable } from '../ui/lazy-part'
import { downloadFrom } from './downloading'
import { nameRules } from './name-rules'
import type { Job, Target } from './pack-job'
import { newItemId } from './random-ids'

/** Only who saves an archive needs it. */
const loadArchive = loadable(() => import('../transport/archive'))

/** @param name of the item */
export async function putIntoArchive(
  target: Exclude<Target, { to: 'folder' }>,
  job: Job,
  name: string,
): Promise<void> {
  const bytes = await archiveOf(job)
  if (target.to === 'file') return writeInto(target.file, bytes, job.signal)
  downloadFrom(await whole(bytes, job.signal), `${name}.zip`)
}

async function archiveOf(job: Job): Promise<ReadableStream<Uint8Array>> {
  const { zip } = await loadArchive()
  const { files, folders } = savedPaths(job, nameRules(navigator))
  const entries = job.files.map((file, saved) => ({
    path: files[saved] ?? file.path,
    size: file.size,
    modified: file.modified,
    bytes: () => {
      job.count(saved)
      return job.reader.next(file)
    },
  }))
  return zip(entries, folders)
}

/** The browser writes beside the file, and moves the bytes into it when they are all there. */
async function writeInto(
  file: FileSystemFileHandle,
  bytes: ReadableStream<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await bytes.pipeTo(await file.createWritable(), { signal })
  } catch (error) {
    await removeEmpty(file)
    throw error
  }
}

/** A file that the picker made is empty then; one that was to be replaced is as it was. */
async function removeEmpty(file: FileSystemFileHandle & { remove?(): Promise<void> }): Promise<void> {
  try {
    if ((await file.getFile()).size === 0) await file.remove?.()
  } catch {
    // It is gone, or the page may not remove it.
  }
}

/** Collects the bytes on the browser's own disk, or where it keeps those of a response: in memory, or on a disk as well. */
async function whole(bytes: ReadableStream<Uint8Array>, signal: AbortSignal): Promise<Blob> {
  await sweepArchives(Date.now())
  const file = await newArchiveFile(`${newItemId()}.zip`)
  if (!file) {
    const headers = { 'content-type': 'application/zip' }
    return new Response(bytes.pipeThrough(new TransformStream(), { signal }), { headers }).blob()
  }
  try {
    await bytes.pipeTo(file.bytes, { signal })
    return await file.file()
  } catch (error) {
    await file.remove()
    throw error
  }
}
