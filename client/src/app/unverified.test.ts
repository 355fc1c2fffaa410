/** A device that comes first without the link is trusted on first use: all others know that nobody has compared it (E8). */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADA, BEAM, BOB, CLEO, EVE, ITEM, mortalSecrets, newSecrets, Page, Server } from './sealed-beam-stage'

let server: Server
let ada: Page
let eve: Page

/** Ada has made the beam, and Eve came first, without the link. Nobody has compared them, and Eve has left. */
beforeEach(async () => {
  server = new Server()
  const secrets = newSecrets()
  const { invite } = await secrets.make(BEAM)
  ada = new Page(server, ADA, invite, secrets)
  ada.mayRemove = true
  ada.hasRemoved = true
  await ada.is('sealed')
  eve = new Page(server, EVE, null)
  server.lists(ADA, EVE)
  await eve.is('sealed')
  expect(ada.trust[EVE]).toMatchObject({ state: 'unverified', isIn: true })
})

afterEach(() => {
  vi.useRealTimers()
  for (const page of server.pages.values()) page.channel.end()
})

/** A device opens the link while these are here. */
async function joins(id: typeof BOB, here: readonly (typeof BOB)[], secrets = newSecrets()): Promise<Page> {
  const page = new Page(server, id, ada.invite, secrets)
  await page.is('waiting')
  server.lists(...here, id)
  await page.is('sealed')
  return page
}

const knows = (page: Page, devices: readonly string[]) =>
  vi.waitFor(() => expect(page.unverified).toEqual(devices), { timeout: 5_000 })

describe('e8 a device that was let in unasked, and has left', () => {
  it('is not verified on those that come by the link after it, whoever lets them in', async () => {
    await knows(await joins(BOB, [ADA]), [EVE])
    await knows(await joins(CLEO, [BOB]), [EVE])
  })

  it('is not verified on a device that it has let in itself, once that meets another', async () => {
    // It tells nothing of itself.
    await eve.secrets.compared(BEAM, [EVE])
    const bob = await joins(BOB, [EVE])
    expect(bob.unverified).toEqual([])
    server.lists(ADA, BOB)
    await knows(bob, [EVE])
  })

  it('is not verified after a reload either', async () => {
    const { secrets, diesBefore } = mortalSecrets()
    const bob = await joins(BOB, [ADA], secrets)
    await knows(bob, [EVE])
    bob.channel.end()
    diesBefore('enter')
    const later = new Page(server, BOB, ada.invite, secrets)
    await later.is('sealed')
    await knows(later, [EVE])
  })

  it('counts no more once it was removed', async () => {
    const bob = await joins(BOB, [ADA])
    await knows(bob, [EVE])
    // Bob has told Ada his key, for which she seals the new ones.
    await vi.waitFor(async () => expect(await ada.secrets.handTo(BEAM, BOB, ADA)).not.toBeNull())
    eve.channel.end()
    server.pages.delete(EVE)
    server.lists(ADA, BOB)
    for (const page of [ada, bob]) page.channel.removed([EVE])
    await knows(bob, [])
    await knows(ada, [])
  })

  it('is not verified on the device that has let it in, as long as another one only tells of its removal', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const bob = await joins(BOB, [ADA])
    eve.channel.end()
    server.pages.delete(EVE)
    server.lists(ADA, BOB)
    await vi.waitFor(async () => expect(await bob.secrets.handTo(BEAM, ADA, BOB)).not.toBeNull())
    await vi.waitFor(async () => expect(await ada.secrets.handTo(BEAM, BOB, ADA)).not.toBeNull())
    const { invite } = await bob.secrets.rekey(BEAM, [EVE])
    ada.channel.heard(BOB, { op: 'keys', ...(await bob.secrets.handTo(BEAM, ADA, BOB)) })
    await vi.waitFor(() => expect(ada.invite).toBe(invite))
    expect([ada.unverified, ada.shutOut]).toEqual([[EVE], []])
    // The server tells of it too. Ada, who may remove, changes the keys once more, and only once.
    ada.hasRemoved = false
    const hears = () => {
      ada.channel.removed([EVE])
      vi.advanceTimersByTime(10_000)
    }
    hears()
    await vi.waitFor(() => expect([ada.unverified, ada.shutOut]).toEqual([[], [EVE]]))
    const { invite: last } = ada
    expect(last).not.toBe(invite)
    hears()
    ada.channel.share(ITEM, 'oat milk', 'text')
    await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
    expect(ada.invite).toBe(last)
  })

  it('is verified for those that come after people have compared both', async () => {
    ada.channel.ways.compared(EVE)
    eve.channel.ways.compared(ADA)
    await vi.waitFor(async () => {
      for (const { secrets } of [ada, eve]) expect((await secrets.enter(BEAM, null)).unverified).toEqual([])
    })
    const bob = await joins(BOB, [ADA])
    server.lists(ADA, EVE, BOB)
    await knows(bob, [])
  })

  it('does not see itself as not verified', async () => {
    expect((await eve.secrets.enter(BEAM, null)).unverified).toEqual([EVE])
    expect(eve.unverified).toEqual([])
  })
})
