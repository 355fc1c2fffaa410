import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { BeamId } from '../protocol/bindings'
import { KeyStore } from './key-store'
import type { Deposits } from './saved-beam-secrets'
import { Secrets } from './secrets'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const NEW = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const LINK = 'A'.repeat(43)
const noDeposits: Deposits = { read: async () => null, write: async () => {} }

/** A page of this browser. */
const page = () => new Secrets(new KeyStore(() => 0), noDeposits)

/** The browser refuses this for the tables of one database. */
function refuses(what: 'get' | 'put' | 'delete', database: string) {
  const real = IDBObjectStore.prototype[what] as (...args: unknown[]) => IDBRequest
  vi.spyOn(IDBObjectStore.prototype, what).mockImplementation(function (
    this: IDBObjectStore,
    ...args: unknown[]
  ) {
    if (this.transaction.db.name === database) throw new DOMException('', 'UnknownError')
    return real.apply(this, args)
  } as never)
}

let invite: string | null

beforeEach(async () => {
  vi.stubGlobal('indexedDB', new IDBFactory())
  const made = await page().make(BEAM)
  invite = made.invite
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

describe('the keys that the browser keeps', () => {
  it('are there for a later page', async () => {
    expect(await page().enter(BEAM, null)).toMatchObject({ isKeyed: true, invite })
  })

  it.each(['heliograph-beam-keys', 'heliograph-device-key'])(
    'are not overwritten by a page to which the browser does not tell what is in %s',
    async (database) => {
      refuses('get', database)
      const shutOut = page()
      expect(await shutOut.enter(BEAM, LINK)).toMatchObject({ isKeyed: false, invite: LINK })
      vi.restoreAllMocks()
      expect(await page().enter(BEAM, null)).toMatchObject({ isKeyed: true, invite })
      // The page asks again with the next thing it has to keep.
      expect(await shutOut.enter(BEAM, null)).toMatchObject({ isKeyed: true, invite })
    },
  )

  it.each([
    ['go along once it tells again', 1, NEW],
    ['stay under the old id while it does not tell', 2, BEAM],
  ])('of a beam that gets another id %s', async (_, silences, id) => {
    const store = new KeyStore(() => 0)
    const read = vi.spyOn(store, 'read')
    for (let times = 0; times < silences; times += 1) read.mockRejectedValueOnce(new Error())
    await new Secrets(store, noDeposits).moved(BEAM, NEW, false)
    expect(await page().enter(id, null)).toMatchObject({ isKeyed: true, invite })
  })

  it('go with the beam to its new id', async () => {
    await page().moved(BEAM, NEW, false)
    expect(await page().enter(NEW, null)).toMatchObject({ isKeyed: true, invite })
    expect(await page().enter(BEAM, null)).toMatchObject({ isKeyed: false, invite: null })
  })

  it('are not said to be removed where the browser refuses it, and stay', async () => {
    refuses('delete', 'heliograph-beam-keys')
    await expect(page().forget(BEAM)).rejects.toThrow()
    // Of a beam that gets another id they are there under both.
    await page().moved(BEAM, NEW, false)
    for (const beam of [BEAM, NEW]) expect(await page().enter(beam, null)).toMatchObject({ isKeyed: true })
    vi.restoreAllMocks()
    await page().forget(BEAM)
    expect(await page().enter(BEAM, null)).toMatchObject({ isKeyed: false })
  })

  it('are not sealed under a key of the device that the browser has not stored', async () => {
    vi.stubGlobal('indexedDB', new IDBFactory())
    refuses('put', 'heliograph-device-key')
    const first = page()
    const made = await first.make(BEAM)
    vi.restoreAllMocks()
    expect(await page().enter(BEAM, null)).toMatchObject({ isKeyed: false })
    await first.enter(BEAM, null)
    expect(await page().enter(BEAM, null)).toMatchObject({ isKeyed: true, invite: made.invite })
  })
})
