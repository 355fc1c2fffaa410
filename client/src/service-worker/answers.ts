/**
 * Answers from the network and from what is kept. The answer goes out first: nobody waits until it is
 * kept, and nobody goes without it when there is no room to keep it.
 */
import { isWorthKeeping } from './fetch-rules'

/** The cache of what the page is made of. */
export const KEPT = 'kept 1'
/** The page is kept under one name, whatever its address. */
export const PAGE = '/'

export interface Keeping {
  readonly caches: Pick<CacheStorage, 'open'>
  fetch(request: Request | string): Promise<Response>
  /** Holds the worker awake until the work is done. */
  later(work: Promise<unknown>): void
}

/** The server's newest; without an answer the last one that was kept. */
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

/** What is kept under this name is right for ever; only what is not there is fetched. */
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
    // The copies differ by compression only, which is undone by now.
    return await cache.match(key, { ignoreVary: true })
  } catch {
    // Storage that is full or blocked has nothing.
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
