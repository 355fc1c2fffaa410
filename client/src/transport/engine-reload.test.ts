/** F19, F20: a device is reloaded while it receives a file that others give too, and the device that shared it is away. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { CHUNK_BYTES } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import type { PieceHash } from '../protocol/piece-checks'
import { bytes, fakeTime, MIB, type StageDevice, StageServer, settles, stageDevice } from './engine-stage'
import { PROGRESS_INTERVAL_MS } from './progress'

const SIZE = 8 * MIB
const content = bytes(SIZE)

/** What Cyd's disk has of the file. */
let disk: { bytes: Buffer; durable: readonly ChunkRange[]; told: ReadonlyMap<number, PieceHash> }
/** Called with how many hashes are on it. */
const kept = vi.fn<(hashes: number) => void>()
let ada: StageDevice
let bob: StageDevice
let cyd: StageDevice
let server: StageServer

/** Bob has the whole file, and Cyd a part of it. */
beforeEach(async () => {
  fakeTime()
  kept.mockClear()
  disk = { bytes: Buffer.alloc(SIZE), durable: [], told: new Map() }
  ada = stageDevice('a')
  bob = stageDevice('b')
  cyd = withDisk()
  meet(ada, bob, cyd)
  ada.offers(new Blob([content]))
  bob.receives(SIZE, ada)
  await passes(() => isDone(bob))
  cyd.receives(SIZE, ada)
  await settles()
  await carries(SIZE + SIZE / 2)
})
afterEach(() => vi.useRealTimers())

/** A page of Cyd's. */
function withDisk(): StageDevice {
  const device = stageDevice('c')
  const { durable, told } = disk
  device.finds = async () => ({ is: 'begun', bytes: bytesIn(durable), isPaused: false })
  device.sink = () => ({
    isKept: true,
    part: {
      before: durable,
      isBroken: false,
      hashes: {
        before: told,
        keep: (told) => {
          disk.told = told
          kept(told.size)
        },
      },
      keep: async (durable) => void Object.assign(disk, { durable }),
      leave: async () => {},
    },
    read: (position, length) => new Uint8Array(disk.bytes.subarray(position, position + length)),
    write: (position, bytes) => void disk.bytes.set(bytes, position),
    finish: async () => new Blob([new Uint8Array(disk.bytes)]),
    discard: async () => {},
  })
  return device
}

const bytesIn = (durable: readonly ChunkRange[]) =>
  durable.reduce((sum, { count }) => sum + count * CHUNK_BYTES, 0)

function meet(...devices: StageDevice[]): void {
  server = new StageServer(...devices)
  for (const device of devices) device.seesAll(...devices.filter((other) => other !== device))
}

const isDone = (device: StageDevice) => device.last('receiving')?.status === 'done'

async function passes(until: () => boolean): Promise<void> {
  for (let tick = 0; tick < 400 && !until(); tick++) {
    await server.carries()
    await settles(PROGRESS_INTERVAL_MS)
  }
}

/** Forwards so many bytes of chunks in all, of which Cyd then has some and not all. */
async function carries(most: number): Promise<void> {
  while (server.carried < most) {
    server.carriesSome(2)
    await settles(PROGRESS_INTERVAL_MS)
  }
  expect(isDone(cyd)).toBe(false)
}

/** Ada leaves, and Cyd's page begins anew. */
async function cydReloads(): Promise<void> {
  cyd.seesNobody()
  ada.seesNobody()
  cyd = withDisk()
  meet(bob, cyd)
  cyd.looks(SIZE, ada)
  await settles()
}

it('f19_what_was_told_before_a_reload_counts_while_the_device_that_shared_the_file_is_away', async () => {
  await cydReloads()
  const before = bytesIn(disk.durable)
  await passes(() => isDone(cyd))
  expect(await cyd.hasWhole(content)).toBe(true)
  expect(server.carried).toBe(SIZE - before)
})

it('f19_what_another_device_gives_is_compared_with_it', async () => {
  await cydReloads()
  server.changes = (frame, { from }) => {
    if (frame.type === 'chunk' && from === bob.id) frame.bytes.fill(0)
    return null
  }
  await passes(() => false)
  expect(isDone(cyd)).toBe(false)
})

it.each([
  ['of which the hashes are known', () => {}],
  ['of which the hashes were lost', () => void Object.assign(disk, { told: new Map() })],
])(
  'f19 a file %s is received again where it is another one by the time its device comes back',
  async (_, happens) => {
    happens()
    await cydReloads()
    await carries(MIB)
    const other = content.map((byte) => byte ^ 1)
    ada = stageDevice('a')
    bob.forgets()
    meet(ada, bob, cyd)
    ada.offers(new Blob([other]))
    await passes(() => isDone(cyd))
    expect(await cyd.hasWhole(other)).toBe(true)
    // What was told of the first file would count against the other.
    expect(kept).toHaveBeenCalledWith(0)
  },
)
