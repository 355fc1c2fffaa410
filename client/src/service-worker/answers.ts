/**
 * Answers requests from the network and the cache. The answer does not wait until it is stored, and is given even when
 * there is no room to store it.
 */
import { isWorthKeeping } from './fetch-rules'

/** The cache of the page and its assets. */
export const KEPT = 'kept 1'
/** The page is stored under one name, whatever its address. */
export const PAGE = '/'

export interface Keeping {
  readonly caches: Pick<CacheStorage, 'open'>
  fetch(request: Request | string): Promise<Response>
  /** Keeps the worker alive until the work is done. */
  later(work: Promise<unknown>): void
}

/** Returns the server's answer, or without a network the last one that was stored. */
export async function newestFirst(
  request: Request,
  handling: 'page' | 'picture',
  keeping: Keeping,
): Promise<Response> {
  const key = handling === 'page' ? PAGE : request
  try {
    const answer = await keeping.fetch(request)
    keep(key, answer, handling, keeping)
    return answer
  } catch (error) {
    const kept = await find(key, keeping)
    if (kept) return kept
    throw error
  }
}

/** Returns the stored copy, which never changes under its name, and fetches only what is not stored. */
export async function keptFirst(request: Request | string, keeping: Keeping): Promise<Response> {
  const kept = await find(request, keeping)
  if (kept) return kept
  const answer = await keeping.fetch(request)
  keep(request, answer, 'asset', keeping)
  return answer
}

async function find(key: Request | string, { caches }: Keeping): Promise<Response | undefined> {
  try {
    const cache = await caches.open(KEPT)
    // The copies differ only in compression, which the browser has already undone.
    return await cache.match(key, { ignoreVary: true })
  } catch {
    // Storage that is full or blocked counts as empty.
    return undefined
  }
}

function keep(
  key: Request | string,
  answer: Response,
  handling: 'page' | 'picture' | 'asset',
  { caches, later }: Keeping,
): void {
  if (!isWorthKeeping(handling, answer.ok, answer.headers.get('content-type'))) return
  const copy = answer.clone()
  const kept = caches.open(KEPT).then((cache) => cache.put(key, copy))
  // Without room for it, it is fetched again next time.
  later(kept.catch(() => {}))
}
