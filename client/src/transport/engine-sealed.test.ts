/** E7: the bytes of a file are sealed on every way, and what does not open costs who gave it. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Bytes, concat } from '../crypto/bytes'
import { TAG_BYTES } from '../crypto/file-chunks'
import { fileKeysOf, newFileSeal } from '../crypto/file-keys'
import { CHUNK_BYTES, SMALLEST_BUDGET_BYTES } from '../protocol/bindings'
import { chunkFrame, type Frame } from '../protocol/frames'
import type { PieceHash } from '../protocol/piece-checks'
import { PIECE_BYTES } from '../protocol/pieces'
import { chunkCount } from '../protocol/receiver'
import { blake3 } from './blake3'
import {
  adaAndBob,
  bytes,
  closePorts,
  FILE,
  incomingFile,
  MIB,
  StageChannel,
  type StageDevice,
  StageServer,
  settles,
  stageDevice,
} from './engine-stage'
import type { Sink } from './sinks/sink'
import type { ReadPart } from './stored-link'

const SIZE = 5 * MIB + 7
const content = bytes(SIZE)
const SEAL = newFileSeal()
const sealedSizeOf = (size: number) => size + chunkCount(size) * TAG_BYTES

let ada: StageDevice
let bob: StageDevice
let server: StageServer
/** The frames that the server forwarded. */
let forwarded: Frame[]

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
  for (const device of [ada, bob]) device.seal = SEAL
  forwarded = []
  follows(server)
})
afterEach(() => {
  closePorts()
  vi.useRealTimers()
})

function follows(one: StageServer): void {
  one.loses = (frame) => {
    forwarded.push(frame)
    return false
  }
}

const chunks = () => forwarded.filter((frame) => frame.type === 'chunk')
const isDone = (device: StageDevice) => device.last('receiving')?.status === 'done'

/** Lets every device send frames until the time is over. */
async function passes(ms: number, until: () => boolean, frames = 4): Promise<void> {
  for (let passed = 0; passed < ms && !until(); passed += 20) {
    server.carriesSome(frames)
    await settles(20)
  }
}

/** Whether any chunk of the file is in a frame as it is. */
function showsClearBytes(frame: Extract<Frame, { type: 'chunk' }>): boolean {
  const body = Buffer.from(frame.bytes)
  const count = Math.ceil(frame.bytes.byteLength / CHUNK_BYTES)
  return Array.from({ length: count }, (_, at) => (frame.first + at) * CHUNK_BYTES).some((start) =>
    body.includes(Buffer.from(content.subarray(start, start + 7))),
  )
}

/** Seals the whole file, as a stored copy has it. */
async function sealedCopy(): Promise<Bytes> {
  const { cipher } = await fileKeysOf(SEAL)
  const parts = Array.from({ length: Math.floor(SIZE / CHUNK_BYTES) + 1 }, (_, at) =>
    cipher.seal(at, content.slice(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES)),
  )
  return concat(cipher.header, ...(await Promise.all(parts)))
}

describe('e7 a sealed file', () => {
  it('arrives as it was, and nothing of its bytes is in any frame', async () => {
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await server.carries()
    expect(await bob.hasWhole(content)).toBe(true)
    expect(server.carried).toBe(sealedSizeOf(SIZE))
    expect(chunks().some(showsClearBytes)).toBe(false)
    expect(bob.last('receiving')).toMatchObject({ twice: 0 })
  })

  it('would be seen in the frames if it were not sealed', async () => {
    for (const device of [ada, bob]) device.seal = undefined
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await server.carries()
    expect(chunks().every(showsClearBytes)).toBe(true)
  })

  it.each([0, 1, CHUNK_BYTES, 64 * CHUNK_BYTES, 64 * CHUNK_BYTES + 1])(
    'of %i bytes arrives',
    async (size) => {
      ada.offers(new Blob([content.subarray(0, size)]))
      bob.receives(size, ada)
      await server.carries()
      expect(await bob.hasWhole(content.subarray(0, size))).toBe(true)
    },
  )

  it('arrives over a data channel', async () => {
    const channel = new StageChannel('direct', ada, bob)
    await channel.opens()
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    for (let rounds = 0; rounds < 2_000 && !isDone(bob); rounds++) {
      channel.carries(4)
      await settles()
    }
    expect(await bob.hasWhole(content)).toBe(true)
    expect(channel.carried).toBe(sealedSizeOf(SIZE))
    expect(server.carried).toBe(0)
  })

  it('is received no further than the window while nothing opens', async () => {
    const open = vi.spyOn(crypto.subtle, 'decrypt').mockImplementation(() => new Promise(() => {}))
    const size = 2 * SMALLEST_BUDGET_BYTES
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    await server.carries()
    open.mockRestore()
    expect(server.carried).toBeGreaterThan(SMALLEST_BUDGET_BYTES - 16 * CHUNK_BYTES)
    expect(server.carried).toBeLessThanOrEqual(sealedSizeOf(SMALLEST_BUDGET_BYTES))
  })

  it('is written no more once its transfer was cancelled while it was being opened', async () => {
    const waiting: (() => void)[] = []
    const { decrypt } = crypto.subtle
    const open = vi.spyOn(crypto.subtle, 'decrypt').mockImplementation(async (...given) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return decrypt.call(crypto.subtle, ...given)
    })
    const write = vi.fn<Sink['write']>()
    bob.sink = async (file) => ({ ...(await bob.memory.open(file)), write })
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await server.carries()
    expect(waiting.length).toBeGreaterThan(0)
    bob.cancels()
    for (const resolve of waiting) resolve()
    open.mockRestore()
    await server.carries()
    expect(write).not.toHaveBeenCalled()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
  })

  it('goes on after a pause, and nothing comes twice', async () => {
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await passes(2_000, () => server.carried > SIZE / 3)
    bob.pauses()
    await server.carries()
    bob.resumes()
    await server.carries()
    expect(await bob.hasWhole(content)).toBe(true)
    expect(bob.last('receiving')).toMatchObject({ twice: 0 })
  })

  it('goes on after a reload with what is on the disk, which lies there in clear', async () => {
    const here = { first: 0, count: 128 }
    const file = Buffer.from(content)
    file.fill(0, here.count * CHUNK_BYTES)
    bob.finds = async () => ({ is: 'begun', bytes: here.count * CHUNK_BYTES, isPaused: false })
    bob.sink = () => ({
      isKept: true,
      part: { before: [here], isBroken: false, hashes: null, keep: async () => {}, leave: async () => {} },
      read: (position, length) => new Uint8Array(file.subarray(position, position + length)),
      write: (position, part) => void file.set(part, position),
      finish: async () => new Blob([file]),
      discard: async () => {},
    })
    ada.offers(new Blob([content]))
    bob.looks(SIZE, ada)
    await passes(20_000, () => isDone(bob))
    expect(await bob.hasWhole(content)).toBe(true)
    expect(server.carried).toBe(sealedSizeOf(SIZE) - sealedSizeOf(here.count * CHUNK_BYTES))
  })

  it('of another key than the receiver was told never arrives', async () => {
    bob.seal = newFileSeal()
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await passes(60_000, () => bob.last('receiving')?.status === 'failed')
    expect(bob.last('receiving')).toMatchObject({ status: 'failed', bytes: 0, why: { reason: 'damaged' } })
  })

  it('tells hashes that say nothing to those without its key', async () => {
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await server.carries()
    const told = new Map<number, PieceHash>()
    for (const frame of forwarded)
      if (frame.type === 'hashes')
        for (const [at, hash] of frame.hashes.entries()) told.set(frame.first + at, hash)
    expect(told.size).toBe(6)
    const { pieces } = await fileKeysOf(SEAL)
    for (const [piece, hash] of told) {
      const clear = content.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES)
      expect(hash).toEqual(await blake3(clear, pieces))
      expect(hash).not.toEqual(await blake3(clear))
    }
  })
})

describe('e7 among several devices', () => {
  let cyd: StageDevice

  beforeEach(() => {
    cyd = stageDevice('c')
    cyd.seal = SEAL
    meet(ada, bob, cyd)
  })

  function meet(...devices: StageDevice[]): void {
    server = new StageServer(...devices)
    follows(server)
    for (const device of devices) device.seesAll(...devices.filter((other) => other !== device))
  }

  it('a file is passed on in the same frames as those of the device that shared it', async () => {
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await passes(60_000, () => isDone(bob))
    const shared = new Map(chunks().map(({ first, bytes: body }) => [first, Buffer.from(body)]))
    const passed: Extract<Frame, { type: 'chunk' }>[] = []
    server.loses = (frame, { from }) => {
      if (frame.type === 'chunk' && from === bob.id) passed.push(frame)
      return false
    }
    cyd.receives(SIZE, ada)
    await passes(60_000, () => isDone(cyd))
    expect(await cyd.hasWhole(content)).toBe(true)
    const known = passed.filter(({ first }) => shared.has(first))
    expect(known.length).toBeGreaterThan(0)
    for (const { first, bytes: body } of known) {
      const own = shared.get(first) ?? Buffer.alloc(0)
      const length = Math.min(own.byteLength, body.byteLength)
      expect(own.subarray(0, length).equals(Buffer.from(body).subarray(0, length))).toBe(true)
    }
  })

  it('one that changes a bit is asked for nothing more, and all the others have the file', async () => {
    const wrong = (frame: Extract<Frame, { type: 'chunk' }>) =>
      chunkFrame(
        frame.transfer,
        frame.first,
        frame.bytes.map((byte, at) => (at === 5 ? byte ^ 1 : byte)),
      )
    server.changes = (frame, { from }) => (frame.type === 'chunk' && from === bob.id ? wrong(frame) : null)
    let given = 0
    server.loses = (frame, { from }) => {
      if (frame.type === 'chunk' && from === bob.id) given += frame.bytes.byteLength
      return false
    }
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await passes(60_000, () => isDone(bob))
    cyd.receives(SIZE, ada)
    await passes(60_000, () => isDone(cyd))
    expect(await cyd.hasWhole(content)).toBe(true)
    expect(given).toBeGreaterThan(0)
    // What it was asked for before the first chunk was opened is on its way.
    expect(given).toBeLessThan(2 * MIB)
  })
})

describe('e7 a stored copy', () => {
  const URL = '/api/uploads/copy'
  let copy: Bytes
  let ranges: [number, number][]

  beforeEach(async () => {
    copy = await sealedCopy()
    ranges = []
    bob.seesNobody()
  })

  const copyOf =
    (file: Bytes): ReadPart =>
    async (_, start, length) => {
      ranges.push([start, length])
      return new Blob([file.subarray(start, start + length)]).stream()
    }

  const receives = () =>
    bob.engine.handle({
      do: 'receive',
      file: { ...incomingFile(SIZE, ada), url: URL, seal: SEAL },
      picked: null,
    })

  it('is read in sealed ranges, and is the file', async () => {
    bob.reads = copyOf(copy)
    receives()
    await passes(60_000, () => isDone(bob))
    expect(await bob.hasWhole(content)).toBe(true)
    expect(ranges).toEqual([[56, sealedSizeOf(SIZE)]])
  })

  it('f22_is_read_at_once_while_nothing_of_the_file_is_here', async () => {
    bob.reads = copyOf(copy)
    receives()
    await passes(1_000, () => ranges.length > 0)
    expect(ranges).toHaveLength(1)
  })

  it('goes on where its device left off', async () => {
    bob.reads = copyOf(copy)
    ada.sees(bob)
    bob.sees(ada)
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    await passes(2_000, () => server.carried > SIZE / 3)
    bob.engine.handle({ do: 'stored', id: FILE, url: URL })
    ada.seesNobody()
    bob.seesNobody()
    await passes(60_000, () => isDone(bob))
    expect(await bob.hasWhole(content)).toBe(true)
    expect(ranges.length).toBeGreaterThan(0)
    for (const [start] of ranges) expect((start - 56) % (CHUNK_BYTES + TAG_BYTES)).toBe(0)
  })

  it('in which a bit was changed is read no more, and its device gives the rest', async () => {
    bob.reads = copyOf(copy.map((byte, at) => (at === 56 + 40 * (CHUNK_BYTES + TAG_BYTES) ? byte ^ 1 : byte)))
    receives()
    await passes(20_000, () => isDone(bob))
    expect(isDone(bob)).toBe(false)
    ada.offers(new Blob([content]))
    ada.sees(bob)
    bob.sees(ada)
    await passes(60_000, () => isDone(bob))
    expect(await bob.hasWhole(content)).toBe(true)
    expect(ranges).toHaveLength(1)
  })
})
