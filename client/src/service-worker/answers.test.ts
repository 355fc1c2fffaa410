import { describe, expect, it } from 'vitest'
import { type Keeping, keptFirst, newestFirst } from './answers'

const page = () => new Response('<p>new</p>', { headers: { 'content-type': 'text/html' } })
const script = () => new Response('new', { headers: { 'content-type': 'text/javascript' } })
const asked = new Request('https://a.example/space')

/** A cache in memory. `full` rejects every `put`, as a full disk does; `blocked` rejects every access. */
function keepingWith(fetch: () => Promise<Response>, state: 'sound' | 'full' | 'blocked' = 'sound') {
  const kept = new Map<string, Response>()
  const nameOf = (key: Request | string) => (typeof key === 'string' ? key : key.url)
  const work: Promise<unknown>[] = []
  const cache = {
    match: async (key: Request | string) => kept.get(nameOf(key)),
    put: async (key: Request | string, answer: Response) => {
      if (state === 'full') throw new DOMException('', 'QuotaExceededError')
      kept.set(nameOf(key), answer)
    },
  }
  const open = async () => {
    if (state === 'blocked') throw new DOMException('', 'SecurityError')
    return cache as unknown as Cache
  }
  const keeping: Keeping = { caches: { open }, fetch, later: (one) => work.push(one) }
  return { keeping, kept, work }
}

const offline = () => Promise.reject(new TypeError('Failed to fetch'))

describe('an answer', () => {
  it.each(['sound', 'full', 'blocked'] as const)(
    'of the page comes with storage that is %s',
    async (state) => {
      const { keeping, work } = keepingWith(async () => page(), state)
      expect(await (await newestFirst(asked, 'page', keeping)).text()).toBe('<p>new</p>')
      // A failed write to the cache must not end the worker with an error either.
      await expect(Promise.all(work)).resolves.toBeDefined()
    },
  )

  it.each(['sound', 'full', 'blocked'] as const)(
    'of an asset comes with storage that is %s',
    async (state) => {
      const { keeping, work } = keepingWith(async () => script(), state)
      expect(await (await keptFirst('/assets/a.js', keeping)).text()).toBe('new')
      await expect(Promise.all(work)).resolves.toBeDefined()
    },
  )

  it('does not wait until it is stored', async () => {
    const { keeping } = keepingWith(async () => page())
    const never = { ...keeping, caches: { open: () => new Promise<Cache>(() => {}) } }
    expect((await newestFirst(asked, 'page', never)).ok).toBe(true)
  })

  it('is stored, and is available without a network', async () => {
    const { keeping, kept, work } = keepingWith(async () => page())
    await newestFirst(asked, 'page', keeping)
    await Promise.all(work)
    const without = { ...keeping, fetch: offline }
    expect(await (await newestFirst(new Request('https://a.example/beams'), 'page', without)).text()).toBe(
      '<p>new</p>',
    )
    expect([...kept.keys()]).toEqual(['/'])
  })

  it('that is stored as an asset is not fetched again', async () => {
    const { keeping, work } = keepingWith(async () => script())
    await keptFirst('/assets/a.js', keeping)
    await Promise.all(work)
    expect(await (await keptFirst('/assets/a.js', { ...keeping, fetch: offline })).text()).toBe('new')
  })

  it("that is neither stored nor fetched fails with the network's error", async () => {
    await expect(newestFirst(asked, 'page', keepingWith(offline).keeping)).rejects.toThrow('Failed to fetch')
    await expect(newestFirst(asked, 'page', keepingWith(offline, 'blocked').keeping)).rejects.toThrow(
      'Failed to fetch',
    )
  })
})
