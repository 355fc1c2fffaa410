import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  CHUNK_BYTES,
  type DeviceId,
  DIRECT_TIMEOUT_MS,
  type ItemId,
  WINDOW_BYTES,
} from '../protocol/bindings'
import { decodeFrame } from '../protocol/frames'
import { Engine } from './engine'
import type { EngineEvent, Progress } from './engine-messages'
import { openMemorySink } from './sinks/memory'
import { NoRoom, type Sink } from './sinks/sink'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId
const FILE = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId

/** A device with a real engine; frames to the others go through a server that the test holds. */
class Device {
  readonly news: EngineEvent[] = []
  readonly engine: Engine
  /** Frames that wait at the server. */
  readonly outgoing: { to: DeviceId; frame: ArrayBuffer }[] = []
  sink: ((size: number) => Sink) | null = null

  constructor(readonly id: DeviceId) {
    this.engine = new Engine(
      (event) => {
        if (event.say === 'relay') this.outgoing.push(event)
        else this.news.push(event)
      },
      async (file) => this.sink?.(file.size) ?? openMemorySink(file),
      () => performance.now(),
    )
    this.engine.handle({ do: 'relay', up: true })
  }

  sees(other: Device, rtc = false): void {
    this.engine.handle({ do: 'devices', devices: [{ id: other.id, rtc }] })
  }

  seesNobody(): void {
    this.engine.handle({ do: 'devices', devices: [] })
  }

  offers(file: Blob): void {
    this.engine.handle({ do: 'offer', id: FILE, file })
  }

  receives(size: number, from: Device): void {
    this.engine.handle({ do: 'receive', file: { id: FILE, from: from.id, size, type: '' }, picked: null })
  }

  last(say: 'receiving' | 'sending'): Progress | undefined {
    const event = this.news.findLast((candidate) => candidate.say === say)
    return event && 'progress' in event ? event.progress : undefined
  }
}

/** The server between devices: hands each waiting frame to its addressee. */
function server(...devices: Device[]): { carry(): Promise<number> } {
  const deliver = (from: Device, { to, frame }: { to: DeviceId; frame: ArrayBuffer }) => {
    const size = decodeFrame(frame)?.type === 'chunk' ? frame.byteLength : 0
    devices.find(({ id }) => id === to)?.engine.handle({ do: 'relayed', from: from.id, frame })
    return size
  }
  return {
    /** Carries frames until nobody sends any more; gives the bytes of chunks carried. */
    async carry() {
      let carried = 0
      for (let idle = 0; idle < 20; idle++) {
        const waiting = devices.flatMap((from) => from.outgoing.splice(0).map((frame) => ({ from, frame })))
        for (const { from, frame } of waiting) carried += deliver(from, frame)
        if (waiting.length > 0) idle = 0
        await vi.advanceTimersByTimeAsync(1)
        await new Promise((resolve) => setImmediate(resolve))
      }
      return carried
    },
  }
}

const bytes = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 7 + (i >> 9)) & 0xff)

let ada: Device
let bob: Device
let wire: ReturnType<typeof server>

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  ada = new Device(ADA)
  bob = new Device(BOB)
  wire = server(ada, bob)
  ada.sees(bob)
  bob.sees(ada)
})
afterEach(() => vi.useRealTimers())

describe('the engine', () => {
  it('l2_moves_a_file_through_the_server_where_there_is_no_webrtc', async () => {
    const content = bytes(3 * 1024 * 1024 + 5)
    ada.offers(new Blob([content]))
    bob.receives(content.length, ada)
    const carried = await wire.carry()
    const done = bob.last('receiving')
    expect(done?.status).toBe('done')
    const file = done?.status === 'done' ? done.file : null
    expect(Buffer.compare(Buffer.from((await file?.arrayBuffer()) ?? new ArrayBuffer(0)), content)).toBe(0)
    expect(ada.last('sending')?.status).toBe('done')
    expect(carried).toBeLessThan(content.length * 1.01)
  })

  it('l2_waits_for_a_data_channel_before_it_takes_the_server', async () => {
    bob.seesNobody()
    bob.sees(ada, true)
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await vi.advanceTimersByTimeAsync(DIRECT_TIMEOUT_MS - 500)
    expect(bob.outgoing).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(1_000)
    await wire.carry()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('f2_receives_a_file_without_bytes', async () => {
    ada.offers(new Blob([]))
    bob.receives(0, ada)
    await wire.carry()
    expect(bob.last('receiving')?.status).toBe('done')
    expect(ada.last('sending')?.status).toBe('done')
  })

  it('f7_tells_the_other_side_of_a_cancel', async () => {
    ada.offers(new Blob([bytes(20 * CHUNK_BYTES)]))
    bob.receives(20 * CHUNK_BYTES, ada)
    await vi.waitFor(() => expect(bob.outgoing.length).toBeGreaterThan(0))
    for (const { frame } of bob.outgoing.splice(0)) ada.engine.handle({ do: 'relayed', from: BOB, frame })
    bob.engine.handle({ do: 'cancel', id: FILE, device: null })
    await wire.carry()
    expect(bob.last('receiving')).toEqual({ status: 'cancelled', by: 'me' })
    expect(ada.last('sending')).toEqual({ status: 'cancelled', by: 'them' })
  })

  it('f7_says_that_the_file_is_not_here_any_more', async () => {
    bob.receives(10, ada)
    await wire.carry()
    expect(bob.last('receiving')).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('no longer has'),
    })
  })

  it('f7_fails_on_both_sides_when_there_is_no_room', async () => {
    bob.sink = () => {
      throw new NoRoom('There is not enough free space.')
    }
    ada.offers(new Blob([bytes(10)]))
    bob.receives(10, ada)
    await wire.carry()
    expect(bob.last('receiving')).toEqual({
      status: 'failed',
      bytes: 0,
      why: 'There is not enough free space.',
    })
  })

  it('f4_wants_no_more_than_a_window_while_the_disk_is_slow', async () => {
    bob.sink = () => ({ write: () => new Promise(() => {}), finish: async () => null, abort: async () => {} })
    const size = 3 * WINDOW_BYTES
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    expect(await wire.carry()).toBeLessThanOrEqual(WINDOW_BYTES * 1.01)
  })

  it('f6_goes_on_where_it_was_after_the_server_was_away', async () => {
    const size = 2 * WINDOW_BYTES
    ada.offers(new Blob([bytes(size)]))
    bob.receives(size, ada)
    await vi.waitFor(() => expect(bob.outgoing.length).toBeGreaterThan(0))
    for (const { frame } of bob.outgoing.splice(0)) ada.engine.handle({ do: 'relayed', from: BOB, frame })
    // The server dies with everything that is under way.
    bob.engine.handle({ do: 'relay', up: false })
    ada.engine.handle({ do: 'relay', up: false })
    ada.outgoing.length = 0
    bob.seesNobody()
    expect(bob.last('receiving')?.status).toBe('parked')
    ada.engine.handle({ do: 'relay', up: true })
    bob.engine.handle({ do: 'relay', up: true })
    bob.sees(ada)
    await wire.carry()
    expect(bob.last('receiving')?.status).toBe('done')
  })

  it('r2_wants_again_what_the_server_dropped', async () => {
    ada.offers(new Blob([bytes(8 * CHUNK_BYTES)]))
    bob.receives(8 * CHUNK_BYTES, ada)
    await vi.waitFor(() => expect(bob.outgoing.length).toBeGreaterThan(0))
    bob.outgoing.length = 0
    await vi.advanceTimersByTimeAsync(10_000)
    await wire.carry()
    expect(bob.last('receiving')?.status).toBe('done')
  })
})
