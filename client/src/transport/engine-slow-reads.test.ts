/** Files of which the disk, or the network behind it, gives nothing for long or for ever. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { STALL_MS } from '../protocol/stall-clock'
import {
  adaAndBob,
  bytes,
  FILE,
  FILES,
  MIB,
  type StageDevice,
  type StageServer,
  settles,
} from './engine-stage'
import { READ_WITHIN_MS } from './within'

const content = bytes(2 * MIB)

let ada: StageDevice
let bob: StageDevice
let server: StageServer
/** Ends each read that is under way. */
let reads: (() => void)[]

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
  reads = []
})
afterEach(() => vi.useRealTimers())

/** A file whose reads end when the test says so. */
function slow(): Blob {
  const file = new Blob([content])
  vi.spyOn(file, 'slice').mockImplementation((start, end) => {
    const arrayBuffer = () =>
      new Promise<ArrayBuffer>((resolve) => reads.push(() => resolve(content.slice(start, end).buffer)))
    return { arrayBuffer } as unknown as Blob
  })
  return file
}

async function passes(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    server.carriesSome(100)
    await settles(50)
  }
}

/** Bob waits for a file that is not read. */
async function waits(): Promise<void> {
  ada.offers(slow())
  bob.receives(content.length, ada)
  await passes(1_000)
  expect(reads.length).toBeGreaterThan(0)
}

it('f3 they hold up no other file on the same link', async () => {
  await waits()
  ada.offers(new Blob([content]), FILES[1])
  bob.receives(content.length, ada, FILES[1])
  await passes(STALL_MS)
  expect(await bob.hasWhole(content, FILES[1])).toBe(true)
  expect(bob.last('receiving')?.status).not.toBe('failed')
})

/** Names of further files. */
const FURTHER = [...'3456789abcd'].map((digit) => FILE.replace(/^0/, digit) as typeof FILE)

it('f4 three of them keep no other file from its turn', async () => {
  for (const id of FILES) ada.offers(slow(), id)
  ada.offers(new Blob([content]), FURTHER[0])
  for (const id of [...FILES, ...FURTHER.slice(0, 1)]) bob.receives(content.length, ada, id)
  await passes(STALL_MS)
  expect(await bob.hasWhole(content, FURTHER[0])).toBe(true)
  expect(bob.count('receiving', 'failed')).toBe(0)
})

it('f4 only three more are begun beside them, however many are not read', async () => {
  const opens = vi.spyOn(bob.memory, 'open')
  for (const id of [...FILES, ...FURTHER]) {
    ada.offers(slow(), id)
    bob.receives(content.length, ada, id)
  }
  await passes(2 * STALL_MS)
  expect(opens).toHaveBeenCalledTimes(6)
})

it('f3 they are sent as soon as they are read, after signs of life', async () => {
  await waits()
  await passes(4 * STALL_MS)
  for (let times = 0; times < 2; times++) {
    for (const read of reads.splice(0)) read()
    await passes(1_000)
  }
  expect(await bob.hasWhole(content)).toBe(true)
  expect(bob.last('receiving')).toMatchObject({ twice: 0 })
})

it('f3 one that is cancelled frees the link for others', async () => {
  await waits()
  bob.cancels()
  ada.offers(new Blob([content]), FILES[1])
  bob.receives(content.length, ada, FILES[1])
  await passes(STALL_MS)
  expect(await bob.hasWhole(content, FILES[1])).toBe(true)
})

it('f3 nothing is heard of one any more once it is cancelled', async () => {
  await waits()
  bob.cancels()
  await passes(STALL_MS)
  const after: string[] = []
  server.loses = ({ type }) => {
    after.push(type)
    return false
  }
  await passes(4 * STALL_MS)
  for (const read of reads.splice(0)) read()
  await passes(STALL_MS)
  expect(after).toEqual([])
})

it('f17 one that is never read counts as gone, and is read anew when it is wanted again', async () => {
  await waits()
  await passes(READ_WITHIN_MS)
  expect(ada.last('sending')).toMatchObject({ status: 'failed', why: { reason: 'changed' } })
  expect(bob.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
  reads = []
  bob.receives(content.length, ada)
  for (let times = 0; times < 3; times++) {
    await passes(1_000)
    for (const read of reads.splice(0)) read()
  }
  await passes(1_000)
  expect(await bob.hasWhole(content)).toBe(true)
})
