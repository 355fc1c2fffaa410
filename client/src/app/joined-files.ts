/** Joins many files into one run of bytes, without reading them. */

export interface FileFacts {
  /** Bytes. */
  readonly size: number
  readonly type: string
  /** When it was changed last, in milliseconds since the Unix epoch. */
  readonly modified: number
}

export interface JoinedFiles {
  /** The files one after the other. The browser reads them when these bytes are read. */
  readonly bytes: Blob
  readonly facts: readonly FileFacts[]
}

/** Files of one part. A blob that consists of many parts is slow to read, and one of parts of parts is not. */
const PART_FILES = 100
/** More do not help: Chromium asks its browser process for each file, which does one after the other. */
const WORKERS = 2

/** Joins files. Takes about 0.4 ms for each, in which nothing else happens here, because the browser asks the disk. */
export function joinFiles(files: readonly File[]): JoinedFiles {
  const parts: Blob[] = []
  const facts: FileFacts[] = []
  for (let first = 0; first < files.length; first += PART_FILES) {
    const some = files.slice(first, first + PART_FILES)
    for (const { size, type, lastModified } of some) facts.push({ size, type, modified: lastModified })
    parts.push(new Blob(some))
  }
  return { bytes: new Blob(parts), facts }
}

/** Joins files in workers, so that the page can do other things meanwhile. */
export async function joinInWorkers(files: readonly File[]): Promise<JoinedFiles> {
  const each = Math.ceil(files.length / WORKERS)
  const shares = Array.from({ length: WORKERS }, (_, at) => files.slice(at * each, (at + 1) * each))
  const joined = await Promise.all(shares.map(joinInWorker))
  return { bytes: new Blob(joined.map(({ bytes }) => bytes)), facts: joined.flatMap(({ facts }) => facts) }
}

async function joinInWorker(files: readonly File[]): Promise<JoinedFiles> {
  let worker: Worker | undefined
  try {
    worker = new Worker(new URL('./joining-worker.ts', import.meta.url), { type: 'module' })
    return await answerOf(worker, files)
  } catch {
    // The browser could not load it.
    return joinFiles(files)
  } finally {
    worker?.terminate()
  }
}

function answerOf(worker: Worker, files: readonly File[]): Promise<JoinedFiles> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<JoinedFiles>) => resolve(data)
    worker.onerror = reject
    worker.postMessage(files)
  })
}
