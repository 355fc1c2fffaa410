/** Puts files of an item that is many (F16) where its person wants them: into a folder, an archive or the downloads. */
import { lastPart } from '../protocol/manifest'
import type { Download } from '../stores/downloads'
import { concernsAll, type SavedTree } from '../transport/save-folder'
import { archiveOf, collected } from './archiving'
import { blobBehind } from './blob-urls'
import { downloadFrom } from './downloading'
import { typedByBytes } from './media-kinds'
import { type Job, type Outcome, onlyFile, type Target } from './pack-job'

/** @throws where nothing was saved: of an archive all or nothing is */
export async function putInto(target: Target, job: Job, download: Download): Promise<Outcome> {
  const of = job.files.length
  switch (target.to) {
    case 'folder':
      return putIntoFolder(target.tree, job)
    case 'file':
      // The browser writes beside the file, and moves the bytes into it when they are all there.
      await (await archiveOf(job)).pipeTo(await target.file.createWritable(), { signal: job.signal })
      return { saved: of, of, name: target.file.name, failed: [] }
    case 'downloads':
      return { saved: of, of, name: await putIntoDownloads(job, download), failed: [] }
  }
}

async function putIntoDownloads(job: Job, { url, name }: Download): Promise<string> {
  const file = onlyFile(job)
  const { signal } = job
  const saved = file ? lastPart(file.path) : `${name}.zip`
  // Of bytes that are on this device, none is copied.
  const here = file && blobBehind(url)?.slice(file.start, file.start + file.size)
  const bytes = () => (file ? job.reader.next(file) : archiveOf(job))
  const blob = here ?? (await collected(await bytes(), file ? '' : 'application/zip', signal))
  const typed = file ? await typedByBytes(blob, 'file') : blob
  signal.throwIfAborted()
  downloadFrom(typed, saved)
  return saved
}

/** A disk may refuse one file, for its name or its length; the others are saved. */
async function putIntoFolder(tree: SavedTree, job: Job): Promise<Outcome> {
  const { files, folders, reader, signal, count } = job
  const done = { saved: 0, of: files.length, name: '', failed: [] as string[] }
  /** Returns why nothing more can be saved; null where the next one can. */
  const failed = (path: string, error: unknown): { why: unknown } | null => {
    signal.throwIfAborted()
    done.failed.push(path)
    return reader.hasFailed || concernsAll(error) ? { why: error } : null
  }
  for (const [index, path] of folders.entries()) {
    signal.throwIfAborted()
    const end = await tree.make(path).then(
      () => null,
      (error: unknown) => failed(path, error),
    )
    if (end) return { ...done, stopped: { ...end, rest: { files, folders: folders.slice(index) } } }
  }
  for (const [index, file] of files.entries()) {
    signal.throwIfAborted()
    count(index)
    try {
      done.name = await tree.save(file.path, await reader.next(file), signal)
      done.saved += 1
    } catch (error) {
      const end = failed(file.path, error)
      if (end) return { ...done, stopped: { ...end, rest: { files: files.slice(index), folders: [] } } }
    }
  }
  return done
}
