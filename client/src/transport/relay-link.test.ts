import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import { MOST_UNSENT_BYTES } from './frame-link'
import { RELAY_HIGH_WATER_BYTES, Relay, RelayLink } from './relay-link'

const ADA = 'ada' as DeviceId
const BOB = 'bob' as DeviceId

let sent: { to: DeviceId; bytes: number }[]
let asked: number
let relay: Relay

beforeEach(() => {
  sent = []
  asked = 0
  relay = new Relay({
    send: (to, frame) => sent.push({ to, bytes: frame.byteLength }),
    ask: () => {
      asked += 1
    },
  })
  relay.setUp(true)
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
    expect(await opens(relay.room(), () => relay.setUp(false))).toBe(true)
    sent = []
    fill()
    expect(sent).toEqual([])
    relay.setUp(true)
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
})
