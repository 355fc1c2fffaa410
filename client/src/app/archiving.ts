/** Saves files of an item that is many (F16) as one archive, which is never in memory as a whole where there is a disk. */
import { savedPaths } from '../protocol/saved-names'
import { newArchiveFile, sweepArchives } from '../transport/archive-file'
import { loadable } from '../ui/lazy-part'
import { nameRules } from './name-rules'
import type { Job } from './pack-job'
import { newItemId } from './random-ids'

/** Only who saves an archive needs it. */
const loadArchive = loadable(() => import('../transport/archive'))

/** Returns the bytes of an archive, which is made as they are read. */
export async function archiveOf(job: Job): Promise<ReadableStream<Uint8Array>> {
  const { zip } = await loadArchive()
  job.signal.throwIfAborted()
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

/**
 * Collects bytes for a download on the browser's own disk, or where it keeps those of a response: in memory, or on a disk
 * as well.
 * @throws QuotaExceededError where the disk is full, which memory would not make better
 */
export async function collected(
  bytes: ReadableStream<Uint8Array>,
  type: string,
  signal: AbortSignal,
): Promise<Blob> {
  await sweepArchives(Date.now())
  const file = await newArchiveFile(newItemId())
  if (!file) {
    const headers = { 'content-type': type }
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
