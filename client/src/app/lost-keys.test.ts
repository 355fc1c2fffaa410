import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import type { DeviceId, LiveItem } from '../protocol/bindings'
import type { ItemsEvent } from '../stores/items'
import { OpeningStage } from './opening-stage'
import {
  ADA,
  ada,
  BEAM,
  BOB,
  begins,
  bobJoins,
  CLEAR,
  CLEO,
  EVE,
  ITEM,
  newSecrets,
  Page,
  Server,
  server,
  shared,
} from './sealed-beam-stage'

beforeEach(begins)

describe('e11 a beam in which nobody has a key any more', () => {
  it('gets a new one by the first device that has the link, once it is known that nothing is sealed there', async () => {
    server.pages.delete(ADA)
    const [bob, eve] = [new Page(server, BOB, ada.invite), new Page(server, EVE, ada.invite)]
    server.lists(BOB, EVE)
    await Promise.all([bob.is('sealed'), eve.is('sealed')])
    bob.channel.share(ITEM, 'bread', 'text')
    await shared()
    expect((await eve.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  it('gets a new one also where the first device came without the link, and shares nothing before it is let in', async () => {
    server.pages.delete(ADA)
    const [bob, eve] = [new Page(server, BOB, null), new Page(server, EVE, ada.invite)]
    bob.channel.share(ITEM, 'lemons', 'text')
    server.lists(BOB, EVE)
    await Promise.all([bob.is('sealed'), eve.is('sealed')])
    expect(bob.states).not.toContain('clear')
    await shared()
    expect((await eve.opens(server.item())).content).toEqual({ kind: 'text', text: 'lemons' })
    expect(JSON.stringify(server.told)).not.toContain('lemons')
  })

  it('gets it of the first of several devices that have the link', async () => {
    server.pages.delete(ADA)
    const cleo = new Page(server, CLEO, ada.invite)
    server.lists(BOB, EVE, CLEO)
    const says = (from: DeviceId, hasLink: boolean) =>
      cleo.channel.heard(from, { op: 'refused', why: 'keyless', hasLink })
    const isKeyless = async (times: number) => {
      cleo.channel.heard(EVE, { op: 'join', id: '', key: '', proof: '' })
      const refusal = { op: 'refused', why: 'keyless', hasLink: true }
      const refusals = () => server.ways.filter(({ message }) => (message as { op: string }).op === 'refused')
      await vi.waitFor(() => expect(refusals()).toHaveLength(times))
      expect(refusals().at(-1)).toMatchObject({ from: CLEO, to: EVE, message: refusal })
    }
    says(BOB, false)
    says(EVE, true)
    await isKeyless(1)
    await isKeyless(2)
    says(EVE, false)
    await cleo.is('sealed')
  })

  it('is in clear text where no device has the link', async () => {
    server.pages.delete(ADA)
    const [bob, eve] = [new Page(server, BOB, null), new Page(server, EVE, null)]
    server.lists(BOB, EVE)
    await Promise.all([bob.is('clear'), eve.is('clear')])
  })

  it('gets none while something is sealed there, which only another device can open', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const bob = new Page(new Server(), BOB, ada.invite)
    bob.channel.listed([{ device_id: BOB, name: '', caps: ['e2e1'] }])
    bob.channel.synced([server.item()])
    await bob.is('waiting')
    await bob.channel.isDeleted('nothing', undefined, undefined)
    expect(bob.states.at(-1)).toBe('waiting')
  })

  /** Bob, who is alone, makes a key of his own and shares under it. */
  const bobSharesAlone = async (): Promise<Page> => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    server.lists(BOB)
    bob.channel.synced([])
    await bob.is('sealed')
    bob.channel.share(ITEM, 'bread', 'text')
    await shared()
    return bob
  }

  it('is read by everybody when a device comes back that has the old key', async () => {
    await bobSharesAlone()
    server.pages.set(ADA, ada)
    server.lists(BOB, ADA)
    expect((await ada.opensLater(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  it('e11_is_asked_for_again_when_a_device_comes_that_was_not_here_when_nobody_knew_it', async () => {
    const bob = await bobSharesAlone()
    server.pages.delete(BOB)
    server.pages.set(ADA, ada)
    server.lists(ADA)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await expect(ada.opens(server.item())).rejects.toThrow()
    await vi.advanceTimersByTimeAsync(20_000)

    server.pages.set(BOB, bob)
    server.lists(BOB, ADA)
    await vi.waitFor(() => expect(ada.resyncs).toBe(1))
    expect((await ada.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  /** An item of somebody who has never been in the beam. */
  const foreign = async (): Promise<LiveItem> => {
    const eve = newSecrets()
    await eve.make(BEAM)
    return { ...CLEAR, message: await eve.seal(BEAM, 'share_clipboard', 'x'.repeat(500)) }
  }

  it('is not asked for everything again by each answer that brings no key', async () => {
    const bob = await bobJoins()
    for (const item of [await foreign(), await foreign()]) {
      const before = server.ways.length
      await expect(bob.opens(item)).rejects.toThrow()
      await vi.waitFor(() => expect(server.ways.length).toBeGreaterThan(before + 1))
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    const before = server.ways.length
    await expect(bob.opens(await foreign())).rejects.toThrow()
    await vi.waitFor(() => expect(server.ways.length).toBeGreaterThan(before + 1))
    expect(bob.resyncs).toBe(0)
  })

  it('keeps nothing waiting by items under keys that nobody has', async () => {
    const bob = await bobJoins()
    const unknown = await foreign()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    // Nobody is there to answer.
    server.pages.delete(ADA)
    const delivered: ItemsEvent[] = []
    const stage = new OpeningStage(bob.channel, (events) => void delivered.push(...events))
    const before = performance.now()
    for (const item of [unknown, server.item()]) stage.push({ type: 'received', item, note: null })
    await vi.waitFor(() => expect(delivered).toHaveLength(2))
    expect(performance.now() - before).toBeLessThan(900)
    expect(delivered).toMatchObject([
      { item: { content: { kind: 'unknown' } } },
      { item: { content: { kind: 'text', text: 'bread' } } },
    ])
  })
})
