/** A device that has neither a key nor the secret of a link, beside devices that say nothing. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveItem } from '../protocol/bindings'
import type { ItemsEvent } from '../stores/items'
import { Gate } from '../transport/gate'
import { ANSWERED_WITHIN_MS } from './keyless-beam'
import { OpeningStage } from './opening-stage'
import {
  ADA,
  ada,
  BOB,
  begins,
  CLEAR,
  CLEO,
  EVE,
  ITEM,
  LOOKALIKE,
  newSecrets,
  OTHER,
  Page,
  Server,
  sealing,
  server,
  shared,
} from './sealed-beam-stage'

beforeEach(async () => {
  await begins()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

const FAKE: LiveItem = { ...CLEAR, id: ITEM, seq: 2, message: LOOKALIKE }
const isHeardOut = () => vi.advanceTimersByTimeAsync(ANSWERED_WITHIN_MS)
/** Bob has typed the id. Eve is listed as a device that seals, and says nothing. */
async function besideEve(...items: readonly LiveItem[]): Promise<Page> {
  server.pages.delete(ADA)
  const bob = new Page(server, BOB, null)
  bob.channel.listed([EVE, BOB].map(sealing))
  bob.channel.synced(items)
  await bob.is('locked')
  return bob
}
const keyless = { op: 'refused', why: 'keyless' }

describe('e11 a beam in clear text beside a device that is asleep', () => {
  it('opens once that has had its time to answer, and not before', async () => {
    const bob = await besideEve(CLEAR)
    await vi.advanceTimersByTimeAsync(ANSWERED_WITHIN_MS - 2_000)
    expect(bob.states).not.toContain('clear')
    await vi.advanceTimersByTimeAsync(2_000)
    await bob.is('clear')
    bob.channel.share(ITEM, 'bread', 'text')
    expect(server.of('share').at(-1)).toMatchObject({ message: 'bread' })
  })

  it('gives it no time while nobody is heard, and all of it once this device is connected again', async () => {
    const bob = await besideEve(CLEAR)
    await vi.advanceTimersByTimeAsync(ANSWERED_WITHIN_MS - 2_000)
    bob.channel.disconnected()
    await isHeardOut()
    bob.channel.listed([EVE, BOB].map(sealing))
    await isHeardOut()
    bob.channel.welcomed(BOB)
    bob.channel.synced([CLEAR])
    await vi.advanceTimersByTimeAsync(ANSWERED_WITHIN_MS - 2_000)
    expect(bob.states).not.toContain('clear')
    await vi.advanceTimersByTimeAsync(2_000)
    await bob.is('clear')
  })

  it('has no keys to change where somebody may not read it any more, also for who asks before that is known', async () => {
    const bob = await besideEve(CLEAR)
    const asked = bob.channel.rekey()
    await isHeardOut()
    await bob.is('clear')
    expect([await asked, await bob.channel.rekey()]).toEqual(['clear', 'clear'])
  })

  it('opens also after that has left without a word', async () => {
    const bob = await besideEve(CLEAR)
    bob.channel.listed([sealing(BOB)])
    await isHeardOut()
    await bob.is('clear')
  })

  it('gives one that comes later its time too', async () => {
    const bob = await besideEve(CLEAR)
    await isHeardOut()
    await bob.is('clear')
    bob.channel.listed([EVE, BOB, CLEO].map(sealing))
    await bob.is('locked')
    await isHeardOut()
    await bob.is('clear')
  })

  it('is closed again by one that wakes and has a key, and lets this device in', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, null)
    bob.channel.listed([ADA, BOB].map(sealing))
    bob.channel.synced([CLEAR])
    await isHeardOut()
    await bob.is('clear')
    server.pages.set(ADA, ada)
    ada.channel.listed([ADA, BOB].map(sealing))
    const [commit] = server.ways
    ada.channel.heard(BOB, commit?.message)
    await bob.is('sealed')
    expect(bob.states.slice(-2)).toEqual(['locked', 'sealed'])
  })

  it('sends nothing that its person has shared before without asking', async () => {
    const bob = await besideEve(CLEAR)
    bob.channel.share(ITEM, 'bread', 'text')
    await isHeardOut()
    expect(bob.states.at(-1)).toBe('locked')
    expect(server.of('share')).toEqual([])
    expect(bob.mayShareClear).toBe(true)
    bob.channel.shareClear()
    await shared()
    expect(server.of('share')).toMatchObject([{ id: ITEM, message: 'bread' }])
  })

  it.each([
    ['an item that was deleted since, nor its deletion', (bob: Page) => bob.channel.delete(ITEM, 'secret')],
    ['what an item said before', (bob: Page) => bob.channel.share(ITEM, 'bread', 'text')],
  ])('sends nobody %s', async (_, changes) => {
    const bob = await besideEve()
    bob.channel.share(ITEM, 'secret', 'text')
    changes(bob)
    bob.channel.share(OTHER, 'last', 'text')
    await isHeardOut()
    bob.channel.shareClear()
    await vi.waitFor(() => expect(server.of('share').at(-1)).toMatchObject({ id: OTHER, message: 'last' }))
    expect(JSON.stringify(server.told)).not.toContain('secret')
  })

  it('deletes what the others have, though an edit of it waited', async () => {
    const bob = await besideEve(CLEAR)
    bob.memory.received(CLEAR)
    bob.channel.came(CLEAR)
    bob.channel.share(CLEAR.id, 'secret', 'text')
    bob.channel.delete(CLEAR.id, 'secret')
    await isHeardOut()
    await vi.waitFor(() => expect(server.of('delete')).toMatchObject([{ id: CLEAR.id, message: 'clear' }]))
    expect(JSON.stringify(server.told)).not.toContain('secret')
  })

  it('opens by silence once what waited was deleted', async () => {
    const bob = await besideEve(CLEAR)
    bob.channel.share(ITEM, 'secret', 'text')
    bob.channel.delete(ITEM, 'secret')
    await isHeardOut()
    expect(bob.states.at(-1)).toBe('clear')
  })

  it('stays closed beside a device that has the link, unless its person chooses otherwise', async () => {
    const bob = await besideEve(CLEAR)
    bob.channel.listed([EVE, CLEO, BOB].map(sealing))
    bob.channel.heard(CLEO, { ...keyless, hasLink: true })
    await isHeardOut()
    expect(bob.states).not.toContain('clear')
    expect(bob.mayShareClear).toBe(true)
  })
})

describe('e11 what an earlier socket has told of a beam in which nothing sealed was', () => {
  it('e11_has_a_device_with_the_link_make_no_key_before_the_socket_of_now_tells_that_nothing_sealed_is_there', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    const makesKey = vi.spyOn(bob.secrets, 'makeKey')
    await bob.is('waiting')
    server.lists(ADA, BOB)
    bob.channel.disconnected()
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    bob.channel.welcomed(BOB)
    server.lists(BOB)
    server.pages.set(ADA, ada)
    server.lists(ADA, BOB)
    await bob.is('sealed')
    expect(makesKey).not.toHaveBeenCalled()
    expect((await bob.opens(server.item())).message).toBe('bread')
  })

  it('e11_has_a_device_with_the_link_make_no_key_beside_what_was_sealed_since_the_server_told', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    const makesKey = vi.spyOn(bob.secrets, 'makeKey')
    bob.channel.listed([ADA, BOB].map(sealing))
    bob.channel.synced([])
    await bob.is('waiting')
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const opening = bob.channel.open(server.item(), null)
    // Ada leaves before she has let Bob in.
    bob.channel.listed([sealing(BOB)])
    await isHeardOut()
    expect(await opening).toBeNull()
    expect(makesKey).not.toHaveBeenCalled()
    expect(bob.states.at(-1)).toBe('waiting')
  })

  it('e11_opens_the_beam_to_no_device_without_the_link_that_it_was_closed_to', async () => {
    const bob = await besideEve(CLEAR)
    bob.channel.heard(EVE, { ...keyless, hasLink: true })
    await vi.waitFor(() => expect(bob.channel.ways.waits(EVE)).toBe(true))
    bob.channel.disconnected()
    bob.channel.welcomed(BOB)
    bob.channel.listed([sealing(BOB)])
    expect(bob.states.at(-1)).toBe('locked')
    bob.channel.synced([CLEAR, FAKE])
    expect(bob.states).not.toContain('clear')
  })

  it('e11_leaves_a_beam_clear_that_was_so', async () => {
    const bob = await besideEve(CLEAR)
    bob.channel.listed([sealing(BOB)])
    await isHeardOut()
    await bob.is('clear')
    const before = bob.states.length
    bob.channel.disconnected()
    bob.channel.welcomed(BOB)
    bob.channel.listed([sealing(BOB)])
    bob.channel.synced([CLEAR])
    expect(bob.states.slice(before)).toEqual([])
  })
})

describe('e11 a person may share in clear text', () => {
  it.each([
    ['in an empty beam, where only one that is asleep could tell', []],
    ['where something lies that looks sealed and that nobody opens', [CLEAR, FAKE]],
  ])('%s', async (_, items) => {
    const bob = await besideEve(...items)
    bob.channel.shareClear()
    expect([bob.mayShareClear, bob.states.at(-1)]).toEqual([false, 'locked'])
    await isHeardOut()
    expect([bob.mayShareClear, bob.states.at(-1)]).toEqual([true, 'locked'])
    bob.channel.shareClear()
    expect(bob.states.at(-1)).toBe('clear')
  })

  it('where all that are here say that they have no key of what is sealed there', async () => {
    const bob = await besideEve(FAKE)
    bob.channel.heard(EVE, keyless)
    await isHeardOut()
    expect(bob.states).not.toContain('clear')
    expect(bob.mayShareClear).toBe(true)
  })

  it('also while new devices come again and again and say nothing', async () => {
    const bob = await besideEve()
    await isHeardOut()
    bob.channel.listed([EVE, BOB, CLEO].map(sealing))
    expect(bob.mayShareClear).toBe(true)
  })

  it('not while a device is here that has a key', async () => {
    const bob = await besideEve()
    bob.channel.heard(EVE, { op: 'wait' })
    await isHeardOut()
    expect(bob.mayShareClear).toBe(false)
    bob.channel.listed([sealing(BOB)])
    expect(bob.mayShareClear).toBe(true)
  })

  it('until a device comes that has a key, which lets it in then', async () => {
    const bob = await besideEve(FAKE)
    await isHeardOut()
    bob.channel.shareClear()
    server.pages.set(ADA, ada)
    for (const page of [bob, ada]) page.channel.listed([EVE, BOB, ADA].map(sealing))
    await bob.is('sealed')
  })

  it('until something sealed is seen for the first time', async () => {
    const bob = await besideEve()
    await isHeardOut()
    bob.channel.shareClear()
    bob.channel.synced([FAKE])
    expect([bob.states.at(-1), bob.mayShareClear]).toEqual(['locked', true])
    bob.channel.shareClear()
    bob.channel.synced([FAKE])
    expect(bob.states.at(-1)).toBe('clear')
  })

  it('never on a page that came by a link with a secret', async () => {
    const bob = new Page(new Server(), BOB, ada.invite)
    bob.channel.listed([EVE, BOB].map(sealing))
    bob.channel.synced([CLEAR, FAKE])
    await bob.is('waiting')
    await isHeardOut()
    bob.channel.shareClear()
    expect(bob.states.at(-1)).toBe('waiting')
  })

  it('never where an earlier page knew that the beam is sealed', async () => {
    const bob = new Page(new Server(), BOB, null, newSecrets(), true)
    bob.channel.listed([sealing(BOB)])
    bob.channel.synced([CLEAR])
    await bob.is('locked')
    await isHeardOut()
    bob.channel.shareClear()
    expect([bob.states.at(-1), bob.mayShareClear]).toEqual(['locked', false])
  })
})

describe('e11 a beam that was clear, in which a device comes and goes without a word', () => {
  async function isClear(): Promise<Page> {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, null)
    bob.channel.listed([sealing(BOB)])
    bob.channel.synced([])
    await bob.is('clear')
    return bob
  }

  it('sends nothing in clear text by itself that was shared meanwhile', async () => {
    const bob = await isClear()
    bob.channel.listed([BOB, ADA].map(sealing))
    bob.channel.share(ITEM, 'bread', 'text')
    bob.channel.listed([sealing(BOB)])
    await isHeardOut()
    expect(bob.states.at(-1)).toBe('locked')
    expect(server.of('share')).toEqual([])
    // It goes out sealed once that device is back, or in clear text by choice.
    expect(bob.mayShareClear).toBe(true)
    server.pages.set(ADA, ada)
    for (const page of [bob, ada]) page.channel.listed([BOB, ADA].map(sealing))
    await shared()
    expect(JSON.stringify(server.told)).not.toContain('bread')
  })

  /** Bob's page is alone, and has what an earlier one held back. */
  async function bobWithHeldBack(): Promise<Page> {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, null)
    bob.channel.heldBack(ITEM)
    bob.channel.share(ITEM, 'bread', 'text')
    bob.channel.listed([sealing(BOB)])
    bob.channel.synced([])
    await bob.is('locked')
    return bob
  }

  it('sends nothing in clear text by itself that an earlier page held back', async () => {
    const bob = await bobWithHeldBack()
    expect(server.of('share')).toEqual([])
    await isHeardOut()
    bob.channel.shareClear()
    await shared()
    expect(server.of('share')).toMatchObject([{ id: ITEM, message: 'bread' }])
  })

  it('opens once its person has deleted what an earlier page held back', async () => {
    const bob = await bobWithHeldBack()
    bob.channel.delete(ITEM, 'bread')
    expect(bob.states.at(-1)).toBe('clear')
  })

  it('is clear at once where nothing was, and waits for that device no more', async () => {
    const bob = await isClear()
    bob.channel.listed([BOB, EVE].map(sealing))
    bob.channel.listed([sealing(BOB)])
    expect(bob.states.at(-1)).toBe('clear')
    bob.channel.listed([BOB, CLEO].map(sealing))
    bob.channel.share(ITEM, 'bread', 'text')
    bob.channel.heard(CLEO, keyless)
    await shared()
    expect(server.of('share')).toMatchObject([{ message: 'bread' }])
  })
})

describe('e11 what is sealed and nobody opens', () => {
  /** What a page shows of what comes. */
  function shownBy(page: Page): { stage: OpeningStage; delivered: ItemsEvent[] } {
    const delivered: ItemsEvent[] = []
    return { stage: new OpeningStage(page.channel, (events) => void delivered.push(...events)), delivered }
  }
  const everything = (...items: readonly LiveItem[]) =>
    ({ type: 'synced', epoch: 'e', oldest: 1, items, markOf: () => null, isStored: false }) as const

  it('keeps nothing waiting that came in clear text, before it or after', async () => {
    const bob = await besideEve(CLEAR, FAKE)
    const { stage, delivered } = shownBy(bob)
    stage.push(everything(CLEAR, FAKE))
    stage.push({ type: 'deleted', message: LOOKALIKE, id: ITEM })
    stage.push({ type: 'received', item: { ...CLEAR, id: ITEM, message: 'later' }, note: null })
    await isHeardOut()
    await vi.waitFor(() => expect(delivered).toHaveLength(2))
    expect(delivered).toMatchObject([{ items: [{ message: 'clear' }] }, { item: { message: 'later' } }])
  })

  it('keeps nothing waiting either once keys were looked for in vain that may lie with a saved beam', async () => {
    const bob = await besideEve(CLEAR, FAKE)
    await isHeardOut()
    const looked = new Gate()
    bob.isLoggedIn = async () => {
      await looked.wait()
      return false
    }
    void bob.channel.saved(false)
    bob.channel.listed([EVE, BOB].map(sealing))
    await bob.is('unknown')
    const { stage, delivered } = shownBy(bob)
    stage.push(everything(CLEAR, FAKE))
    looked.open()
    await bob.is('locked')
    await vi.waitFor(() => expect(delivered).toMatchObject([{ items: [{ message: 'clear' }] }]))
  })

  it('is asked for again once this device is let in', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const bob = new Page(server, BOB, ada.invite)
    server.pages.delete(ADA)
    server.lists(ADA, BOB)
    await bob.is('waiting')
    const { stage, delivered } = shownBy(bob)
    stage.push(everything(CLEAR, server.item()))
    await isHeardOut()
    await vi.waitFor(() => expect(delivered).toMatchObject([{ items: [{ message: 'clear' }] }]))
    expect(bob.resyncs).toBe(0)
    server.pages.set(ADA, ada)
    server.lists(ADA, BOB)
    await vi.advanceTimersByTimeAsync(10_000)
    await bob.is('sealed')
    expect(bob.resyncs).toBe(1)
    expect((await bob.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })
})
