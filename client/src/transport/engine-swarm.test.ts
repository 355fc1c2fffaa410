/** F19, F20, F21: several devices receive a file, give each other what they have, and check what they get. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { CHUNK_BYTES } from '../protocol/bindings'
import { ChunkSet } from '../protocol/chunk-set'
import { chunkFrame, decodeFrame, encodeFrame, type Frame } from '../protocol/frames'
import {
  bytes,
  FILE,
  fakeTime,
  incomingFile,
  MIB,
  type Sent,
  type StageDevice,
  StageServer,
  settles,
  stageDevice,
} from './engine-stage'

/** 25 pieces: several times what the windows of all devices hold together. */
const SIZE = 24 * MIB + 5
const content = bytes(SIZE)

let ada: StageDevice
let others: StageDevice[]
let server: StageServer

beforeEach(() => {
  fakeTime()
  ada = stageDevice('a')
  others = (['b', 'c', 'd', 'e'] as const).map((letter) => stageDevice(letter))
  meet(ada, ...others)
})
vi.setConfig({ testTimeout: 30_000 })

afterEach(() => vi.useRealTimers())

function meet(...devices: StageDevice[]): void {
  server = new StageServer(...devices)
  for (const device of devices) device.seesAll(...devices.filter((other) => other !== device))
}

/** Lets every device send a frame of 64 KiB every 20 ms, so that the uplink of each is the narrow place. */
async function passes(ms: number, until: () => boolean = () => false): Promise<void> {
  for (let passed = 0; passed < ms && !until(); passed += 20) {
    for (const device of server.devices) upTo(device)
    await settles(20)
  }
}

/** Forwards what a device sends until one frame of chunks is among it. */
function upTo(device: StageDevice): void {
  for (let chunks = 0; chunks < 1; ) {
    const [next] = device.outgoing
    if (!next) return
    if (kindOf(next) === 'chunk') chunks += 1
    server.carriesOne(device)
  }
}

const kindOf = ({ frame }: Sent) => decodeFrame(frame)?.type
const isDone = (device: StageDevice) => device.last('receiving')?.status === 'done'
const areDone = () => others.every(isDone)

/** Counts the bytes of chunks that a device sends. */
function countsOf(device: StageDevice): { readonly sent: number } {
  const counts = { sent: 0 }
  const { loses } = server
  server.loses = (frame, sent) => {
    if (frame.type === 'chunk' && sent.from === device.id) counts.sent += frame.bytes.byteLength
    return loses(frame, sent)
  }
  return counts
}

function allReceive(): void {
  ada.offers(new Blob([content]))
  for (const device of others) device.receives(SIZE, ada)
}

/** All receive the file, until they have every piece between them, and none has all of it. */
async function allHaveItBetweenThem(): Promise<void> {
  allReceive()
  const have = new Set<number>()
  server.loses = (frame) => {
    if (frame.type !== 'have') return false
    for (const { first, count } of frame.pieces) for (let at = 0; at < count; at++) have.add(first + at)
    return false
  }
  await passes(60_000, () => have.size === 25)
  expect(areDone()).toBe(false)
}

describe('f20 a file for four devices', () => {
  it('leaves the device that shared it little more than once', async () => {
    const uplink = countsOf(ada)
    allReceive()
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
    expect(uplink.sent / SIZE).toBeLessThan(1.5)
  })

  it('goes on when the device that shared it leaves, once the others have all of it between them', async () => {
    await allHaveItBetweenThem()
    for (const device of others) device.seesAll(...others.filter((other) => other !== device))
    ada.seesNobody()
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
  })

  it('r4 tells of each piece also where the server takes nothing for a moment', async () => {
    const [bob, cyd] = others as [StageDevice, StageDevice]
    others = [bob, cyd]
    meet(ada, bob, cyd)
    const told = new ChunkSet()
    server.loses = (frame, { from, to }) => {
      if (frame.type === 'have' && from === bob.id && to === cyd.id)
        for (const pieces of frame.pieces) told.add(pieces)
      return false
    }
    allReceive()
    await passes(1_000)
    const before = told.size
    bob.isRefused(cyd, 'relay_full')
    await passes(900)
    expect(told.size).toBe(before)
    await passes(60_000, areDone)
    await passes(500)
    expect(told.size).toBe(25)
  })

  /** Of two others the second has all of it, and the first begins. */
  async function oneHasIt(): Promise<readonly [StageDevice, StageDevice]> {
    const [bob, cyd] = others as [StageDevice, StageDevice]
    others = [bob, cyd]
    meet(ada, bob, cyd)
    ada.offers(new Blob([content]))
    cyd.receives(SIZE, ada)
    await passes(60_000, () => isDone(cyd))
    bob.receives(SIZE, ada)
    // Ada says the hashes of all pieces.
    await passes(500)
    return [bob, cyd]
  }

  it('f18 goes on from others when the person who has paused it leaves', async () => {
    const [bob, cyd] = await oneHasIt()
    ada.engine.handle({ do: 'pause', id: FILE, device: bob.id })
    await passes(2_000)
    expect(bob.last('receiving')).toMatchObject({ status: 'paused', by: 'them' })
    bob.seesAll(cyd)
    ada.seesNobody()
    await passes(60_000, () => isDone(bob))
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('s25 goes on when the device that shared it is removed from the beam', async () => {
    await allHaveItBetweenThem()
    for (const device of others) device.hasRemoved(ada)
    for (const device of others) device.seesAll(...others.filter((other) => other !== device))
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
  })

  it('goes on when the device that shared it was reloaded and has it no more', async () => {
    await allHaveItBetweenThem()
    const reloaded = stageDevice('a')
    reloaded.seesAll(...others)
    server = new StageServer(reloaded, ...others)
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
  })

  it.each([
    ['in the middle', 0.3],
    ['at its end', 0.9],
  ])('comes from one that was silent %s, although the device that shared it is away', async (_, part) => {
    const [bob, cyd] = await oneHasIt()
    bob.seesAll(cyd)
    cyd.seesAll(bob)
    ada.seesNobody()
    const bytesOf = (device: StageDevice) => {
      const progress = device.last('receiving')
      return progress?.status === 'moving' ? progress.bytes : 0
    }
    await passes(60_000, () => bytesOf(bob) > part * SIZE)
    expect(isDone(bob)).toBe(false)
    await settles(12_000)
    await passes(60_000, () => isDone(bob))
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('waits for the device that shared it when nobody else has the rest', async () => {
    allReceive()
    await passes(2_000)
    const reloaded = stageDevice('a')
    reloaded.seesAll(...others)
    server = new StageServer(reloaded, ...others)
    const isOver = (device: StageDevice) => device.last('receiving')?.status === 'failed'
    await passes(60_000, () => others.every(isOver))
    for (const device of others)
      expect(device.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'gone' } })
    reloaded.offers(new Blob([content]))
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
  })

  it.each([
    ['gives it up', (bob: StageDevice) => bob.cancels()],
    ['pauses it', (bob: StageDevice) => bob.pauses()],
  ])('is wanted no more of those who owe parts of it by one that %s', async (_, ends) => {
    const [bob] = others as [StageDevice]
    allReceive()
    await passes(5_000)
    const owing = server.devices.filter(({ outgoing }) =>
      outgoing.some((sent) => sent.to === bob.id && kindOf(sent) === 'chunk'),
    )
    expect(owing.length).toBeGreaterThan(1)
    bob.outgoing.splice(0)
    ends(bob)
    const told = bob.outgoing.flatMap(({ to, frame }) => {
      const said = decodeFrame(frame)
      // Another reason would say that it gives no more. The one that shared the file is told that it is paused.
      const isAbout = said?.type === 'cancel' && (said.reason === 'person' || said.reason === 'paused')
      return isAbout ? [to] : []
    })
    expect(told).toEqual(expect.arrayContaining(owing.map(({ id }) => id)))
  })

  it('f21_a_device_that_may_not_pass_on_gives_nothing', async () => {
    const [bob] = others as [StageDevice]
    bob.passesOn(false)
    const gives = countsOf(bob)
    allReceive()
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
    expect(gives.sent).toBe(0)
  })

  it('comes to a device that asks for it later from all who have it', async () => {
    const late = others.pop() as StageDevice
    allReceive()
    await passes(60_000, areDone)
    const uplink = countsOf(ada)
    late.receives(SIZE, ada)
    await passes(60_000, () => isDone(late))
    expect(await late.hasWhole(content)).toBe(true)
    expect(uplink.sent / SIZE).toBeLessThan(0.5)
  })

  it('is asked of others again when one of them vanishes in the middle', async () => {
    allReceive()
    await passes(4_000)
    const gone = others.shift() as StageDevice
    gone.seesNobody()
    for (const device of [ada, ...others]) {
      device.seesAll(...[ada, ...others].filter((other) => other !== device))
    }
    await passes(60_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
  })
})

it('f20_what_is_for_one_device_alone_is_never_named_to_another', async () => {
  const [bob, cyd] = others as [StageDevice, StageDevice]
  ada.offers(new Blob([content]))
  const named: string[] = []
  server.loses = (frame, { to }) => {
    if (to !== ada.id && to !== bob.id) named.push(frame.type)
    return false
  }
  bob.engine.handle({ do: 'receive', file: { ...incomingFile(SIZE, ada), isPrivate: true }, picked: null })
  await passes(20_000, () => isDone(bob))
  expect(await bob.hasWhole(content)).toBe(true)
  expect(named).toEqual([])
  // A device that learnt of it in another way gets nothing of it from the one that has it.
  const gives = countsOf(bob)
  cyd.hears({
    from: bob.id,
    to: cyd.id,
    frame: encodeFrame({ type: 'have', transfer: FILE, pieces: [] }).buffer,
  })
  cyd.receives(SIZE, bob)
  await passes(4_000)
  expect(gives.sent).toBe(0)
})

it('f20_small_files_are_not_passed_on_so_that_hundreds_of_them_say_nothing', async () => {
  const said: string[] = []
  server.loses = (frame) => {
    if (frame.type === 'have' || frame.type === 'claim') said.push(frame.type)
    return false
  }
  ada.offers(new Blob([content.subarray(0, MIB)]))
  for (const device of others) device.receives(MIB, ada)
  await passes(20_000, areDone)
  expect(areDone()).toBe(true)
  expect(said).toEqual([])
})

describe('f19 a device that lies', () => {
  /** Changes what a device sends. */
  function changes(device: StageDevice, change: (frame: Frame) => Uint8Array<ArrayBuffer> | null): void {
    server.changes = (frame, sent) => (sent.from === device.id ? change(frame) : null)
  }

  it('about chunks costs only itself', async () => {
    const [liar, ...honest] = others as [StageDevice, ...StageDevice[]]
    changes(liar, (frame) =>
      frame.type === 'chunk'
        ? chunkFrame(
            frame.transfer,
            frame.first,
            frame.bytes.map((byte) => ~byte),
          )
        : null,
    )
    allReceive()
    await passes(90_000, areDone)
    for (const device of [liar, ...honest]) expect(await device.hasWhole(content)).toBe(true)
  })

  it('about what it has, and gives nothing of it, is not waited for', async () => {
    const [liar] = others as [StageDevice]
    server.loses = (frame, { from }) => from === liar.id && frame.type === 'chunk'
    allReceive()
    const all = encodeFrame({ type: 'have', transfer: FILE, pieces: [{ first: 0, count: 4_294_967_295 }] })
    for (const to of others.slice(1)) to.hears({ from: liar.id, to: to.id, frame: all.buffer })
    await passes(120_000, areDone)
    for (const device of others) expect(await device.hasWhole(content)).toBe(true)
  })

  it('about what it gets, and claims all of it for ever, holds nobody up for long', async () => {
    const [liar, bob] = others as [StageDevice, StageDevice]
    others = [bob]
    ada.offers(new Blob([content]))
    bob.receives(SIZE, ada)
    const says = (frame: Uint8Array<ArrayBuffer>) =>
      bob.hears({ from: liar.id, to: bob.id, frame: frame.buffer })
    says(encodeFrame({ type: 'have', transfer: FILE, pieces: [] }))
    const claim = encodeFrame({ type: 'claim', transfer: FILE, pieces: [{ first: 0, count: 4_294_967_295 }] })
    for (let second = 0; second < 60 && !areDone(); second++) {
      says(claim)
      await passes(1_000, areDone)
    }
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('about hashes is not believed', async () => {
    const [liar, bob] = others as [StageDevice, StageDevice]
    allReceive()
    const lie = encodeFrame({
      type: 'hashes',
      transfer: FILE,
      first: 0,
      hashes: Array.from({ length: 25 }, () => new Uint8Array(32)),
    })
    bob.hears({ from: liar.id, to: bob.id, frame: lie.buffer })
    await passes(60_000, areDone)
    expect(await bob.hasWhole(content)).toBe(true)
  })

  it('by giving what nobody wanted of it spoils nothing', async () => {
    const [liar, bob] = others as [StageDevice, StageDevice]
    allReceive()
    await passes(500)
    for (let first = 0; first < 1_500; first += 4) {
      const frame = chunkFrame(FILE, first, new Uint8Array(4 * CHUNK_BYTES))
      bob.hears({ from: liar.id, to: bob.id, frame: frame.buffer })
    }
    const uplink = countsOf(ada)
    await passes(60_000, areDone)
    expect(await bob.hasWhole(content)).toBe(true)
    expect(uplink.sent / SIZE).toBeLessThan(1.5)
  })
})

describe('f19 one device that receives', () => {
  it('asks for hashes that were lost', async () => {
    const [first] = others as [StageDevice]
    others = [first]
    meet(ada, first)
    server.loses = (frame) => frame.type === 'hashes'
    allReceive()
    await passes(20_000)
    expect(areDone()).toBe(false)
    server.loses = () => false
    await passes(20_000, areDone)
    expect(await first.hasWhole(content)).toBe(true)
  })

  it('fails when what the sender gives is never what it says', async () => {
    const [first] = others as [StageDevice]
    others = [first]
    meet(ada, first)
    server.changes = (frame) =>
      frame.type === 'chunk'
        ? chunkFrame(
            frame.transfer,
            frame.first,
            frame.bytes.map((byte) => ~byte),
          )
        : null
    allReceive()
    await passes(120_000, () => first.last('receiving')?.status === 'failed')
    expect(first.last('receiving')).toMatchObject({ status: 'failed', why: { reason: 'damaged' } })
  })
})
