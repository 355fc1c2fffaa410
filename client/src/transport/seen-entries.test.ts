import { IDBFactory } from 'fake-indexeddb'
import 'fake-indexeddb/auto'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SeenEntryStore } from './seen-entries'

const CABIN = { vault: 'V', tag: 'cabin' }
const DAY_MS = 24 * 60 * 60 * 1_000
let now: number

/** A page of this browser. */
const page = () => new SeenEntryStore(() => now)

beforeEach(() => {
  now = 0
  vi.stubGlobal('indexedDB', new IDBFactory())
})
afterEach(() => vi.unstubAllGlobals())

it('e18 what pages of a browser have seen in a vault is known to later ones, the ends of all and the latest keys', async () => {
  await page().note(CABIN, { ends: ['bob'], changes: [2, 2] })
  await page().note(CABIN, { ends: ['carol'], changes: [1, 3] })
  expect(await page().of(CABIN)).toMatchObject({ ends: ['bob', 'carol'], changes: [2, 2] })
  expect(await page().of({ ...CABIN, vault: 'of before' })).toBeNull()
})

it('e18 what was not seen for a year is forgotten', async () => {
  await page().note(CABIN, { ends: [], changes: [1, 1] })
  now = 365 * DAY_MS
  await page().sweep()
  expect(await page().of(CABIN)).not.toBeNull()
  now += 1
  await page().sweep()
  expect(await page().of(CABIN)).toBeNull()
})

it('e18 a browser that keeps nothing has seen nothing', async () => {
  const refuses = () => {
    throw new Error('refused')
  }
  vi.stubGlobal('indexedDB', { open: refuses })
  await page().note(CABIN, { ends: [], changes: [1, 1] })
  expect(await page().of(CABIN)).toBeNull()
})
