/** F17: what a sender that has its files again says of them, on which links. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { decodeFrame } from '../protocol/frames'
import {
  adaAndBob,
  bytes,
  closePorts,
  FILES,
  MIB,
  StageChannel,
  type StageDevice,
  type StageServer,
  settles,
} from './engine-stage'

let ada: StageDevice
let bob: StageDevice
let server: StageServer

beforeEach(() => {
  ;({ ada, bob, server } = adaAndBob())
})
afterEach(() => {
  closePorts()
  vi.useRealTimers()
})

describe('files that their sender chose again after a reload, and that nobody wants yet', () => {
  let channels: readonly StageChannel[]

  /** Returns how often Ada said since the last time that a file is here. */
  const offered = () => {
    const said = ada.outgoing.splice(0).map(({ frame }) => frame)
    for (const { toBob } of channels) said.push(...toBob.splice(0))
    return said.filter((frame) => decodeFrame(frame)?.type === 'offered').length
  }

  beforeEach(async () => {
    for (const id of FILES) bob.receives(MIB, ada, id)
    await server.carries()
    for (const id of FILES) expect(bob.last('receiving', id)).toMatchObject({ why: { reason: 'gone' } })
    channels = ['first', 'second', 'third'].map((key) => new StageChannel(key, ada, bob))
    await channels[0]?.opens()
    for (const id of FILES) ada.offers(new Blob([bytes(MIB)]), id)
    await settles()
    expect(offered()).toBe(FILES.length)
  })

  it('f17_are_not_offered_again_for_each_link_that_opens_or_closes', async () => {
    for (const channel of channels.slice(1)) await channel.opens()
    for (const channel of channels.slice(1)) await channel.closes()
    expect(offered()).toBe(0)
  })

  it('f17_are_offered_again_where_the_link_is_lost_on_which_that_was_said', async () => {
    await channels[1]?.opens()
    await channels[0]?.closes()
    expect(offered()).toBe(FILES.length)
    await channels[1]?.closes()
    expect(offered()).toBe(FILES.length)
    ada.engine.handle({ do: 'relay', use: null })
    ada.engine.handle({ do: 'relay', use: 'fallback' })
    expect(offered()).toBe(FILES.length)
    ada.isRefused(bob, 'relay_full')
    await settles(1_500)
    expect(offered()).toBe(FILES.length)
    await server.carries()
    expect(offered()).toBe(0)
  })

  it('f17_are_offered_again_where_they_were_wanted_and_gone_once_more', async () => {
    for (const id of FILES) ada.forgets(id)
    channels[0]?.carries(0)
    await settles()
    channels[0]?.carries(0)
    await settles()
    await channels[1]?.opens()
    for (const id of FILES) ada.offers(new Blob([bytes(MIB)]), id)
    await settles()
    expect(offered()).toBe(FILES.length)
    // The first window has room for one of them only, so the others still count as said on the first link.
    await channels[1]?.closes()
    expect(offered()).toBe(1)
  })
})
