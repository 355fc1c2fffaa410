// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createStores, type Stores } from '../stores/stores'
import type { LiveBeam } from '../transport/live-beam'
import type { Context } from './context'
import { createSharedIn } from './shared-in'
import { createToaster } from './toaster'

const CLOSED = 'This beam is closed here. Make or join another one, then share.'

let stores: Stores
let shared: string[]
/** What the service worker has stored, by its address. */
let kept: Map<string, Response>
/** How many texts were shown each time that something was removed from it. */
let shownAtRemoval: number[]
/** Happens while it is being shared. */
let meanwhile: () => void
let actions: ReturnType<typeof createSharedIn>

const waits = () => stores.shareTarget.getState()
const toasts = () => stores.toasts.getState().toasts.map(({ text }) => text)
const named = (name: string) => ({ headers: { 'x-name': encodeURIComponent(name) } })

beforeEach(async () => {
  stores = createStores()
  shared = []
  shownAtRemoval = []
  meanwhile = () => {}
  kept = new Map([
    ['https://a.example/shared/000000', new Response('a text')],
    ['https://a.example/shared/000001', new Response('four', named('a.txt'))],
  ])
  const cache = {
    keys: async () => [...kept.keys()].map((url) => ({ url })),
    match: async ({ url }: Request) => kept.get(url)?.clone(),
    async delete({ url }: Request) {
      shownAtRemoval.push(waits().texts.length)
      return kept.delete(url)
    },
  }
  vi.stubGlobal('caches', { open: async () => cache })
  history.replaceState(null, '', '/space?shared=1')
  const context = {
    stores,
    toaster: createToaster(stores.toasts),
    live: () => ({}) as LiveBeam,
  } as Partial<Context> as Context
  actions = createSharedIn(context, {
    shareText(text) {
      meanwhile()
      return shared.push(text) > 0
    },
    shareFiles: (files) => shared.push(...files.map(({ name }) => name)) > 0,
  })
  await vi.waitFor(() => expect(waits().texts).toHaveLength(1))
})
afterEach(() => vi.unstubAllGlobals())

describe('what was handed over', () => {
  it('is shown, and never shared by itself, in whatever beam the page is', async () => {
    stores.connection.setState({ status: 'live' }, true)
    await new Promise((resolve) => setTimeout(resolve))
    expect(waits()).toEqual({ texts: ['a text'], files: [{ name: 'a.txt', size: 4 }] })
    expect(shared).toEqual([])
    expect(kept.size).toBe(2)
    expect(location.search).toBe('')
  })

  it('is shared once by one tap, and then no longer waits', async () => {
    stores.connection.setState({ status: 'live' }, true)
    await Promise.all([actions.shareParcel(), actions.shareParcel()])
    expect(shared).toEqual(['a.txt', 'a text'])
    expect(kept.size).toBe(0)
    expect(waits()).toEqual({ texts: [], files: [] })
  })

  it('is discarded without being shared', async () => {
    stores.connection.setState({ status: 'live' }, true)
    await actions.discardParcel()
    expect(shared).toEqual([])
    expect(kept.size).toBe(0)
    expect(waits()).toEqual({ texts: [], files: [] })
  })

  it('is shown until it is gone from the storage, where a page that is loaded again would find it', async () => {
    await actions.discardParcel()
    expect(shownAtRemoval).toEqual([1, 1])
  })

  it.each([
    [{ status: 'connecting' }, 'Not connected. Try again in a moment.'],
    [{ status: 'stopped', why: 'ended' }, CLOSED],
  ] as const)('stays when it cannot be shared (%o)', async (connection, why) => {
    stores.connection.setState(connection, true)
    await actions.shareParcel()
    expect(toasts()).toEqual([why])
    expect(shared).toEqual([])
    expect(kept.size).toBe(2)
    expect(waits().texts).toHaveLength(1)
  })

  it('leaves there what came meanwhile', async () => {
    stores.connection.setState({ status: 'live' }, true)
    meanwhile = () => kept.set('https://a.example/shared/000002', new Response('newer'))
    await actions.shareParcel()
    expect(shared).toEqual(['a.txt', 'a text'])
    expect(waits()).toEqual({ texts: ['newer'], files: [] })
  })
})
