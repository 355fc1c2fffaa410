import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { MOST_UNSENT_BYTES } from './frame-link'
import { RELAY_HIGH_WATER_BYTES, RELAY_LOW_WATER_BYTES, Relay, RelayLink } from './relay-link'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId

let sent: { to: DeviceId; bytes: number }[]
let asked: number
let relay: Relay
let now: number

beforeEach(() => {
  sent = []
  asked = 0
  now = 0
  const socket = {
    send: (to: DeviceId, frame: Uint8Array) => sent.push({ to, bytes: frame.byteLength }),
    ask: () => {
      asked += 1
    },
  }
  relay = new Relay(socket, () => now)
  relay.use = 'fallback'
})

const fill = (to = ADA) => relay.send(to, new Uint8Array(RELAY_HIGH_WATER_BYTES))

/** Whether what `act` does resolves the promise of room. */
async function opens(room: Promise<void> | null, act: () => void): Promise<boolean> {
  let isOpen = false
  void room?.then(() => {
    isOpen = true
  })
  act()
  await Promise.resolve()
  await Promise.resolve()
  return isOpen
}

describe('r2 the relay', () => {
  it('holds chunks back while the websocket has too much to send, whichever device it is for', async () => {
    fill(ADA)
    const room = relay.room()
    expect(room).not.toBeNull()
    expect(asked).toBe(1)
    expect(await opens(room, () => relay.waits(0))).toBe(true)
    expect(relay.room()).toBeNull()
  })

  it('drops what a device asks for faster than the websocket sends', () => {
    const answer = new Uint8Array(MOST_UNSENT_BYTES / 4)
    for (let i = 0; i < 10; i++) relay.send(ADA, answer)
    expect(sent).toHaveLength(5)
    relay.waits(0)
    relay.send(ADA, answer)
    expect(sent).toHaveLength(6)
  })

  it('counts the bytes sent since it asked', () => {
    fill()
    void relay.room()
    fill()
    relay.waits(0)
    expect(relay.room()).not.toBeNull()
  })

  it('asks again only while a sender waits', async () => {
    vi.useFakeTimers()
    fill()
    expect(asked).toBe(0)
    const room = relay.room()
    expect(await opens(room, () => relay.waits(RELAY_HIGH_WATER_BYTES))).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toBe(2)
    relay.waits(0)
    await vi.advanceTimersByTimeAsync(100)
    expect(asked).toBe(2)
    vi.useRealTimers()
  })

  it('releases all senders when the socket is gone, and sends nothing then', async () => {
    fill()
    expect(await opens(relay.room(), () => (relay.use = null))).toBe(true)
    sent = []
    fill()
    expect(sent).toEqual([])
    relay.use = 'fallback'
    expect(relay.room()).toBeNull()
  })

  it('pauses for one device while the others go on', async () => {
    const ada = new RelayLink(relay, ADA)
    const bob = new RelayLink(relay, BOB)
    ada.pause()
    const room = ada.room()
    expect(room).not.toBeNull()
    expect(bob.room()).toBeNull()
    expect(await opens(room, () => ada.resume())).toBe(true)
    expect(ada.room()).toBeNull()
  })

  it('r4 neither sends nor says anything to a device in its pause', () => {
    const ada = new RelayLink(relay, ADA)
    ada.pause()
    ada.send(new Uint8Array(1))
    ada.say(new Uint8Array(1))
    expect([sent, ada.unsent]).toEqual([[], 0])
    ada.resume()
    ada.say(new Uint8Array(1))
    expect(sent).toHaveLength(1)
  })

  const FRAME = 64 * 1024

  /**
   * The websocket sends so many bytes a second, in bursts of so many milliseconds, and the page is asked every 10 ms while
   * frames go out. Returns the most that was in the socket once the line was known, and what has left.
   */
  const flows = (bytesPerSecond: number, seconds: number, burstMs = 10) => {
    let [inSocket, most, left] = [0, 0, 0]
    for (let step = 1; step <= seconds * 100; step++) {
      while (relay.room() === null) {
        relay.send(ADA, new Uint8Array(FRAME))
        inSocket += FRAME
      }
      relay.waits(inSocket)
      if (step > 100) most = Math.max(most, inSocket)
      now += 10
      const leaves = (step * 10) % burstMs === 0 ? Math.min(inSocket, (bytesPerSecond * burstMs) / 1_000) : 0
      inSocket -= leaves
      left += leaves
      relay.look()
      relay.waits(inSocket)
    }
    return { most, left }
  }

  it.each([
    [2_500_000, 10],
    [2_500_000, 40],
    [5_000_000, 10],
  ])('has a text leave within 100 ms on a line of %d bytes a second, which is never idle', (rate, burst) => {
    vi.useFakeTimers()
    const { most, left } = flows(rate, 10, burst)
    // A text that comes now is behind all of it.
    expect(most / rate).toBeLessThan(0.1)
    expect(left / rate).toBeGreaterThan(9.7)
    vi.useRealTimers()
  })

  it('lets hardly more than a frame wait on a slow line', () => {
    vi.useFakeTimers()
    const { most, left } = flows(100_000, 10)
    expect(most).toBeLessThan(RELAY_LOW_WATER_BYTES + FRAME)
    expect(left).toBeGreaterThan(950_000)
    vi.useRealTimers()
  })

  it('has several frames on the way on a fast line, also when it was slow before', () => {
    vi.useFakeTimers()
    flows(100_000, 10)
    const { most, left } = flows(20_000_000, 10)
    expect(most).toBeGreaterThan(4 * FRAME)
    expect(most).toBeLessThanOrEqual(RELAY_HIGH_WATER_BYTES + FRAME)
    expect(left).toBeGreaterThan(0.97 * 200_000_000)
    vi.useRealTimers()
  })

  it('begins with a frame, before anything is known of the line', () => {
    relay.send(ADA, new Uint8Array(FRAME))
    expect(relay.room()).not.toBeNull()
  })

  it('tells what waits of that which was said, beside the chunks', () => {
    const ada = new RelayLink(relay, ADA)
    ada.send(new Uint8Array(3_000))
    ada.say(new Uint8Array(1_000))
    expect([ada.unsent, ada.unsaid]).toEqual([4_000, 1_000])
    relay.look()
    relay.waits(500)
    expect(ada.unsaid).toBe(500)
    relay.look()
    relay.waits(0)
    expect(ada.unsaid).toBe(0)
  })

  it('tells of each device how much of its frames has not left', () => {
    const ada = new RelayLink(relay, ADA)
    const bob = new RelayLink(relay, BOB)
    ada.send(new Uint8Array(1_000))
    bob.send(new Uint8Array(3_000))
    ada.send(new Uint8Array(2_000))
    expect([ada.unsent, bob.unsent]).toEqual([3_000, 3_000])
    relay.look()
    relay.waits(4_000)
    expect([ada.unsent, bob.unsent]).toEqual([2_000, 2_000])
    relay.look()
    relay.waits(0)
    expect([ada.unsent, bob.unsent]).toEqual([0, 0])
  })
})
