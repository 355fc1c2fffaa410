import { IDBFactory, IDBObjectStore } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { KeyStore } from './key-store'
import { VaultStore } from './vault-store'

const SECRET = new Uint8Array(32).fill(7)
const OPENER = new Uint8Array(32).fill(9)

/** A page of this browser. */
const page = () => new VaultStore(new KeyStore(() => 0))

beforeEach(() => vi.stubGlobal('indexedDB', new IDBFactory()))
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

it('e17 an opened vault is there for later pages of its person, and of nobody else', async () => {
  await page().write('ada', SECRET)
  expect([await page().read('ada'), await page().read('bob')]).toEqual([SECRET, null])
})

it('e17 an opened vault is there for a person who has another username now, until it is removed', async () => {
  expect(await page().read(null)).toBeNull()
  await page().write('ada', SECRET)
  expect(await page().read(null)).toEqual(SECRET)
  await page().remove()
  expect([await page().read(null), await page().read('ada')]).toEqual([null, null])
})

it('e17 what opens a vault is there for later pages until it is removed, which leaves the vault', async () => {
  await page().writeOpener(OPENER)
  await page().write('ada', SECRET)
  expect(await page().readOpener()).toEqual(OPENER)
  await page().removeOpener()
  expect([await page().readOpener(), await page().read('ada')]).toEqual([null, SECRET])
})

it('e17 that only a part of the password was sent is there for later pages, until one is sent as it was typed', async () => {
  expect(await page().isStretched()).toBe(false)
  await page().writeStretched(true)
  expect(await page().isStretched()).toBe(true)
  await page().writeStretched(false)
  expect(await page().isStretched()).toBe(false)
})

it('e17 nothing of it is there after the logout', async () => {
  await page().writeStretched(true)
  await page().writeOpener(OPENER)
  await page().write('ada', SECRET)
  await page().clear()
  const left = [await page().readOpener(), await page().read('ada'), await page().isStretched()]
  expect(left).toEqual([null, null, false])
})

it('e17 whether only a part of the password was sent is told by no browser that refuses to say what is there', async () => {
  const refuses = () => {
    throw new Error('refused')
  }
  vi.stubGlobal('indexedDB', { open: refuses })
  await expect(page().isStretched()).rejects.toThrow()
})

it('e17 a browser that refuses to remove it does not say that nothing of it is there after the logout', async () => {
  await page().write('ada', SECRET)
  vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(() => {
    throw new DOMException('', 'UnknownError')
  })
  await expect(page().clear()).rejects.toThrow()
  // A login goes on all the same, and is by another vault.
  await Promise.all([page().remove(), page().removeOpener(), page().writeStretched(false)])
})
