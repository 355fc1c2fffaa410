import { describe, expect, it, vi } from 'vitest'
import { ATTEMPT_LIMIT_MS } from './peer-links'
import {
  ADA,
  BOB,
  closes,
  device,
  dropped,
  failsToLoad,
  links,
  opened,
  paths,
  sent,
  settle,
  taken,
} from './peer-links-stage'
import { OFFER_INTERVAL_MS } from './peer-place'

describe('l1 links', () => {
  it('are initiated by the device later in the list, and only by it', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ initiator }) => initiator)).toEqual([true])
    links(ADA).setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened).toHaveLength(1)
  })

  it('tell a change of their path, until they are replaced', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 'old', signal: { type: 'offer' } })
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    opened[0]?.events.onPath('turn')
    ada.handleSignal(BOB, { session: 'new', signal: { type: 'offer' } })
    opened[0]?.events.onPath('direct')
    expect(paths).toEqual([
      [BOB, 'direct'],
      [BOB, 'turn'],
    ])
  })

  it('s37 get new credentials, and so do those that are opened later', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    const servers = [{ urls: ['turn:a.example:3478'], username: '2:b', credential: 'new' }]
    bob.renew(servers)
    expect(opened[0]?.renewed).toEqual([servers])
    opened[0]?.events.onClose()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened[1]?.iceServers).toEqual(servers)
  })

  it('s37 that work get the credentials of a new welcome, and are rebuilt where they fail at it', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('turn', 0)
    const servers = [{ urls: ['turn:a.example:3478'], username: '2:b', credential: 'new' }]
    bob.welcome(BOB, servers)
    expect(opened[0]?.renewed).toEqual([servers])
    expect(opened).toHaveLength(1)
    vi.spyOn(opened[0]?.renewed as unknown[], 'push').mockImplementation(() => {
      throw new TypeError('The configuration cannot be changed')
    })
    bob.renew(servers)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
  })

  it('are not tried with a device that has no WebRTC', async () => {
    links(BOB).setDevices([device(ADA, false), device(BOB)])
    await settle()
    expect(opened).toHaveLength(0)
  })

  it('are opened by an offer, and get the signals that follow', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 's', signal: { type: 'offer', sdp: '…' } })
    ada.handleSignal(BOB, { session: 's', signal: { candidate: 1 } })
    await settle()
    expect(opened).toHaveLength(1)
    expect(opened[0]?.signals).toEqual([{ type: 'offer', sdp: '…' }, { candidate: 1 }])
  })

  it('are replaced by an offer of a new session; late signals of the old one are ignored', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 'old', signal: { type: 'offer' } })
    await settle()
    ada.handleSignal(BOB, { session: 'new', signal: { type: 'offer' } })
    await vi.advanceTimersByTimeAsync(OFFER_INTERVAL_MS)
    ada.handleSignal(BOB, { session: 'old', signal: { candidate: 1 } })
    opened[0]?.events.onClose()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
    expect(opened[1]?.signals).toEqual([{ type: 'offer' }])
    expect(closes).toEqual([])
  })

  it('cost a device that offers again and again one connection a second, for its newest offer', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (let i = 0; i < 100; i++) {
      ada.handleSignal(BOB, { session: `s${i}`, signal: { type: 'offer', sdp: i } })
      ada.handleSignal(BOB, { session: `s${i}`, signal: { candidate: i } })
      await settle()
    }
    expect(opened).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(OFFER_INTERVAL_MS)
    expect(opened.map(({ signals }) => signals)).toEqual([
      [{ type: 'offer', sdp: 0 }, { candidate: 0 }],
      [{ type: 'offer', sdp: 99 }, { candidate: 99 }],
    ])
    ada.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('have names that the other device does not choose', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: `relay to ${BOB}`, signal: { type: 'offer' } })
    await settle()
    expect(taken).toEqual(['name 1'])
  })

  it('say that their channel ends when they do', async () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    ada.handleSignal(BOB, { session: 's', signal: { type: 'offer' } })
    await settle()
    ada.close()
    expect(dropped).toEqual(taken)
  })

  it('are rebuilt by the initiator when they die', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onClose()
    expect(closes).toEqual([ADA])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onSignal('offer 2')
    expect(sent.at(-1)).toEqual({ to: ADA, message: { session: 'name 3', index: 0, signal: 'offer 2' } })
  })

  it('r7_end when nothing comes over them any more and the device is no longer listed, in either order', async () => {
    for (const isBrokenFirst of [true, false]) {
      const bob = links(BOB)
      bob.setDevices([device(ADA), device(BOB)])
      await settle()
      const link = opened.at(-1)
      link?.events.onConnect('direct', 0)
      if (isBrokenFirst) link?.events.onBroken(true)
      // It may only have changed its network.
      expect(link?.closed).toBe(false)
      bob.setDevices([device(BOB)])
      if (!isBrokenFirst) {
        expect(link?.closed).toBe(false)
        link?.events.onBroken(true)
      }
      expect(link?.closed).toBe(true)
    }
    expect(closes).toEqual([ADA, ADA])
  })

  it('live on when they were broken for a moment only', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    opened[0]?.events.onBroken(true)
    opened[0]?.events.onBroken(false)
    bob.setDevices([device(BOB)])
    expect(opened[0]?.closed).toBe(false)
  })

  it('live on when the server no longer lists the device', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.setDevices([device(BOB)])
    expect(opened[0]?.closed).toBe(false)
  })

  it('s25_end_when_the_device_is_removed_from_the_beam', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.remove([ADA])
    expect(opened.map(({ closed }) => closed)).toEqual([true])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(opened).toHaveLength(1)
  })

  it('are begun again when no answer comes in time', async () => {
    links(BOB).setDevices([device(ADA), device(BOB)])
    await vi.advanceTimersByTimeAsync(ATTEMPT_LIMIT_MS)
    expect(opened[0]?.closed).toBe(true)
    expect(closes).toEqual([ADA])
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onConnect('direct', 0)
    await vi.advanceTimersByTimeAsync(10 * ATTEMPT_LIMIT_MS)
    expect(opened[1]?.closed).toBe(false)
  })

  it('are begun again at once over a new socket: what was signaled over the old one may be lost', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.welcome(BOB, [])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
  })

  it('stay as they are over a new socket when they are connected', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    opened[0]?.events.onConnect('direct', 0)
    bob.welcome(BOB, [])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ closed }) => closed)).toEqual([false])
  })

  it('are begun again when the other device comes back before they were connected', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.setDevices([device(BOB)])
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    expect(opened.map(({ closed }) => closed)).toEqual([true, false])
  })

  it('s12_are_begun_again_when_the_server_cannot_pass_a_signal_on', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.unreachable(ADA)
    expect(opened[0]?.closed).toBe(true)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(opened).toHaveLength(2)
    opened[1]?.events.onConnect('direct', 0)
    bob.unreachable(ADA)
    expect(opened[1]?.closed).toBe(false)
  })

  it('are begun again when the library could not be loaded', async () => {
    failsToLoad(2)
    links(BOB).setDevices([device(ADA), device(BOB)])
    await vi.advanceTimersByTimeAsync(1_000 + 2_000)
    expect(opened).toHaveLength(1)
  })

  it('leave no timer behind when the beam is left', async () => {
    const bob = links(BOB)
    bob.setDevices([device(ADA), device(BOB)])
    await settle()
    bob.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ignore messages that are not signals', () => {
    const ada = links(ADA)
    ada.setDevices([device(ADA), device(BOB)])
    for (const message of [null, 'x', {}, { session: 1 }, { session: 's', signal: { candidate: 1 } }]) {
      ada.handleSignal(BOB, message)
    }
    expect(opened).toHaveLength(0)
  })
})

it('the path and the statistics of each open connection can be asked for', async () => {
  const bob = links(BOB)
  bob.setDevices([device(ADA), device(BOB)])
  await settle()
  expect(await bob.statsTo(ADA)).toEqual([])
  opened[0]?.events.onConnect('turn', 0)
  const [key = ''] = taken
  expect(bob.pathOf(ADA, key)).toBe('turn')
  expect(bob.pathOf(ADA, 'another')).toBeNull()
  expect(await bob.statsTo(ADA)).toEqual([{ key, stats: opened[0]?.stats }])
})
