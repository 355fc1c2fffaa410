import { describe, expect, it, vi } from 'vitest'
import type { DeviceId } from '../protocol/bindings'
import type { PeerLinks } from './peer-links'
import { ADA, BOB, closes, device, links, opened, paths, sent, settle } from './peer-links-stage'
import { FURTHER_INTERVAL_MS } from './peer-place'

describe('l6 links', () => {
  it('are as many as the initiator wants, and each is rebuilt alone', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.setSize(ADA, 4)
    await settle()
    expect(opened).toHaveLength(4)
    for (const link of opened.slice(1)) link.events.onConnect('direct', 0)
    opened[2]?.events.onClose()
    expect(closes).toEqual([])
    await vi.advanceTimersByTimeAsync(FURTHER_INTERVAL_MS)
    expect(opened).toHaveLength(5)
    opened[4]?.events.onSignal('offer')
    expect(sent.at(-1)?.message).toMatchObject({ index: 2, signal: 'offer' })
    expect(opened.map(({ closed }) => closed)).toEqual([false, false, true, false, false])
  })

  it('are as many as the other device wants, where it has to ask for them', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.setSize(BOB, 8)
    expect(sent).toEqual([{ to: BOB, message: { size: 8 } }])
    await settle()
    expect(opened).toHaveLength(1)
    bob.handleSignal(ADA, { size: 8 })
    await settle()
    expect(opened).toHaveLength(8)
    for (const size of [0, 17, 1.5, '4', null]) bob.handleSignal(ADA, { size })
    bob.handleSignal(ADA, { size: 2 })
    await settle()
    expect(opened).toHaveLength(8)
    expect(opened.filter(({ closed }) => !closed)).toHaveLength(2)
  })

  it('say that their path has ended only when the last of them has', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    bob.setSize(ADA, 2)
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    opened[1]?.events.onConnect('direct', 0)
    opened[0]?.events.onClose()
    expect(closes).toEqual([])
    expect(paths.at(-1)).toEqual([ADA, 'direct'])
    opened[1]?.events.onClose()
    expect(closes).toEqual([ADA])
  })

  it('take no place at TURN for further connections of a direct bundle', async () => {
    const bob = links(BOB)
    const stun = { urls: ['stun:a.example'] }
    bob.welcome(BOB, [stun, { urls: ['turn:a.example'], username: 'u', credential: 'c' }])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.setSize(ADA, 2)
    await settle()
    expect(opened[1]?.iceServers).toEqual([stun])
  })

  it('are set up again and again no more than once in five seconds in each place, and in no place beyond', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (let i = 0; i < 100; i++) {
      for (const index of [1, 15, 16, -1, 0.5])
        ada.handleSignal(BOB, { session: `s${i}`, index, signal: { type: 'offer' } })
      await settle()
    }
    expect(opened).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(5_000)
    expect(opened).toHaveLength(4)
  })

  it('cost a device that changes its wish again and again one connection in five seconds in each place', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    for (let i = 0; i < 100; i++) for (const size of [16, 1]) bob.handleSignal(ADA, { size })
    bob.handleSignal(ADA, { size: 16 })
    await settle()
    expect(opened).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(FURTHER_INTERVAL_MS)
    expect(opened).toHaveLength(16)
    bob.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are asked for again by a device that does not initiate any more', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    bob.setSize(ADA, 3)
    await settle()
    for (const link of opened) link.events.onConnect('direct', 0)
    bob.setDevices([device(BOB), device(ADA)])
    expect(sent.at(-1)).toEqual({ to: ADA, message: { size: 3 } })
    expect(opened.filter(({ closed }) => closed)).toHaveLength(0)
  })

  it('keep the one that works when a smaller bundle would have none', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    bob.setSize(ADA, 2)
    await settle()
    opened[1]?.events.onConnect('direct', 0)
    bob.setSize(ADA, 1)
    expect(opened.map(({ closed }) => closed)).toEqual([false, false])
  })

  it('are at most four over TURN, and 48 further ones in all', async () => {
    const others = Array.from({ length: 10 }, (_, i) => `other ${i}` as DeviceId)
    const bob = links(BOB)
    bob.setDevices([...others, BOB].map((id) => device(id)))
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    for (const other of others) bob.setSize(other, 16)
    await settle()
    expect(opened).toHaveLength(10 + 48)
    expect(sent).toEqual([])
    bob.close()
    opened.length = 0
    const ada = links(ADA)
    ada.setDevices([device(BOB), device(ADA)])
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    ada.setSize(BOB, 16)
    await settle()
    expect(opened).toHaveLength(4)
  })
})

describe('l6 a device with little to spend', () => {
  const offers = (to: PeerLinks, index: number) =>
    to.handleSignal(BOB, { session: `s${index}`, index, signal: { type: 'offer' } })

  it('makes no more connections than it allows, whichever device wants more', async () => {
    const bob = links(BOB)
    bob.setMost(4)
    bob.setDevices([device(ADA), device(BOB)])
    bob.handleSignal(ADA, { size: 16 })
    await settle()
    expect(opened).toHaveLength(4)
    bob.setMost(16)
    await settle()
    expect(opened).toHaveLength(16)
  })

  it('ends the connections that are too many, and takes up no offer for their places', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (let index = 0; index < 6; index += 1) offers(ada, index)
    await settle()
    for (const { events } of opened) events.onConnect('direct', 0)
    ada.setMost(4)
    expect(opened.map(({ closed }) => closed)).toEqual([false, false, false, false, true, true])
    vi.advanceTimersByTime(FURTHER_INTERVAL_MS)
    ada.handleSignal(BOB, { session: 'later', index: 5, signal: { type: 'offer' } })
    await settle()
    expect(opened).toHaveLength(6)
  })
})
