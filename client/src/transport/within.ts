/** Waits for what may never come. */

/**
 * Returns what comes within so many milliseconds.
 * @param late returns why it counts as failed after that
 * @throws what `late` returns; a `TimeoutError` without it
 */
export function within<T>(
  ms: number,
  coming: Promise<T>,
  late: () => Error = () => new DOMException('', 'TimeoutError'),
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const isLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), ms)
  })
  return Promise.race([coming, isLate]).finally(() => clearTimeout(timer))
}

/**
 * A file of which nothing is read for so many milliseconds is not read at all: its disk or its network is gone. A system that has
 * only the name of a large file here fetches it before it reads a byte.
 */
export const READ_WITHIN_MS = 5 * 60_000

/** The same where something else can be done meanwhile, and the file is read again later. */
export const GLANCE_WITHIN_MS = 30_000
