import { beforeEach, describe, expect, it, vi } from 'vitest'
import { toBase64Url } from '../crypto/bytes'
import type { DeviceId } from '../protocol/bindings'
import { Gate } from '../transport/gate'
import { Secrets } from '../transport/secrets'
import {
  ADA,
  ada,
  BEAM,
  BOB,
  begins,
  bobJoins,
  CLEAR,
  EVE,
  ITEM,
  newDeposits,
  OTHER,
  Page,
  Server,
  sealing,
  server,
  shared,
} from './sealed-beam-stage'

beforeEach(begins)

describe('e6 the way in', () => {
  it('is closed to a device with another secret', async () => {
    const eve = new Page(server, EVE, toBase64Url(new Uint8Array(32)))
    server.lists(ADA, EVE)
    await vi.waitFor(() => expect(server.ways).toHaveLength(2))
    expect(server.ways[1]?.message).toEqual({ op: 'refused', why: 'proof' })
    expect(eve.states.at(-1)).toBe('waiting')
  })

  it('leads through the next device when the first has no key itself', async () => {
    const eve = new Page(server, EVE, ada.invite)
    const bob = new Page(server, BOB, ada.invite)
    server.lists(EVE, BOB)
    await vi.waitFor(() => expect(server.ways.length).toBeGreaterThanOrEqual(4))
    server.lists(EVE, BOB, ADA)
    await Promise.all([eve.is('sealed'), bob.is('sealed')])
  })

  it('does not open to a device that asked before there was a key, and has left', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    server.lists(EVE, BOB)
    bob.channel.heard(EVE, { op: 'join', id: '', key: '', proof: '' })
    const refused = expect.objectContaining({ to: EVE, message: expect.objectContaining({ why: 'keyless' }) })
    await vi.waitFor(() => expect(server.ways).toContainEqual(refused))
    const answer = vi.spyOn(bob.secrets, 'answer')
    server.lists(BOB)
    await bob.is('sealed')
    expect(answer).not.toHaveBeenCalled()
  })

  it('is not closed for good where a device that asked before there was a key could not be answered then', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    const join = { op: 'join', id: '', key: '', proof: '' }
    server.lists(EVE, BOB)
    bob.channel.heard(EVE, join)
    const toEve = () => server.ways.filter(({ to, from }) => to === EVE && from === BOB)
    const answered = (why: string) =>
      vi.waitFor(() =>
        expect(toEve()).toContainEqual(
          expect.objectContaining({ message: expect.objectContaining({ why }) }),
        ),
      )
    await answered('keyless')
    const answer = vi.spyOn(bob.secrets, 'answer')
    answer.mockRejectedValue(new Error('The worker does not answer.'))
    server.pages.set(ADA, ada)
    server.lists(EVE, BOB, ADA)
    await bob.is('sealed')
    await vi.waitFor(() => expect(answer).toHaveBeenCalled())
    await Promise.allSettled(answer.mock.results.map(({ value }) => value))
    answer.mockRestore()
    bob.channel.heard(EVE, join)
    await answered('proof')
  })

  it('is looked for on after a stranger has answered with what is no welcome', async () => {
    server.pages.delete(ADA)
    const bob = new Page(server, BOB, ada.invite)
    server.lists(BOB)
    await bob.is('sealed')
    bob.channel.share(ITEM, 'bread', 'text')
    await shared()
    server.pages.set(ADA, ada)
    server.lists(EVE, BOB, ADA)
    const before = ada.resyncs
    await expect(ada.opens(server.item())).rejects.toThrow()
    const join = expect.objectContaining({ op: 'join' })
    await vi.waitFor(() =>
      expect(server.ways).toContainEqual(expect.objectContaining({ to: EVE, message: join })),
    )
    ada.channel.heard(EVE, { op: 'welcome', encapsulated: '', sealed: '' })
    await vi.waitFor(() => expect(ada.resyncs).toBeGreaterThan(before), { timeout: 4_000 })
    expect((await ada.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
  })

  it('does not open by a welcome for another device', async () => {
    const bob = new Page(server, BOB, ada.invite)
    await bob.is('waiting')
    server.pages.delete(ADA)
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(server.ways).toHaveLength(1))
    server.pages.set(ADA, ada)
    // The server says that the request is of another device.
    ada.channel.listed([sealing(EVE)])
    ada.channel.heard(EVE, server.ways[0]?.message)
    await vi.waitFor(() => expect(server.ways).toHaveLength(2))
    bob.channel.heard(ADA, server.ways[1]?.message)
    await vi.waitFor(() => expect(server.ways.length).toBeGreaterThanOrEqual(2))
    expect(bob.states.at(-1)).toBe('waiting')
  })

  it('opens by the link that the person opens while this device is compared, and loses nothing that waits', async () => {
    ada.asks = true
    const bob = new Page(server, BOB, null)
    bob.channel.share(ITEM, 'bread', 'text')
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(ada.trust[BOB]).toMatchObject({ state: 'asking' }))
    bob.channel.invited(String(ada.invite))
    await shared()
    expect((await ada.opens(server.item())).content).toEqual({ kind: 'text', text: 'bread' })
    // Whoever has the link needs not be compared.
    expect([ada.trust[BOB], bob.trust[ADA], ...bob.in]).toEqual([null, null])
  })

  it('opens by the new link that the person opens while this device waits with an old one', async () => {
    const bob = new Page(server, BOB, toBase64Url(new Uint8Array(32)))
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(bob.isLinkOld).toBe(true))
    bob.channel.invited(String(ada.invite))
    await bob.is('sealed')
  })

  it('never falls back from a link that the person opens in a beam that was clear', async () => {
    const bob = new Page(server, BOB, null)
    bob.channel.listed([])
    bob.channel.synced([])
    await bob.is('clear')
    bob.channel.invited(String(ada.invite))
    bob.channel.share(ITEM, 'bread', 'text')
    await bob.is('waiting')
    expect(server.of('share')).toEqual([])
  })

  it('is not needed in a beam in which nobody seals', async () => {
    const plain = new Server()
    const page = new Page(plain, BOB, null)
    page.channel.listed([{ device_id: ADA, name: '', caps: ['files'] }])
    page.channel.synced([])
    await page.is('clear')
    page.channel.share(ITEM, 'bread', 'text')
    expect(plain.of('share')[0]?.message).toBe('bread')
  })

  it.each(['e2e1.', 'e2e1.AAAA', 'e2e1. begins an envelope', 'e2k1.', 'e2k1. begins a kept key'])(
    'is not needed because of the text "%s", which is nothing sealed',
    async (message) => {
      const page = new Page(server, BOB, null)
      page.channel.listed([])
      page.channel.synced([{ ...CLEAR, message }])
      await page.is('clear')
      page.channel.came({ ...CLEAR, message })
      await Promise.resolve(page.channel.open({ ...CLEAR, message }, null)).catch(() => {})
      expect(page.states.at(-1)).toBe('clear')
    },
  )

  it('is asked for, and nothing goes out in clear text, when a sealed item comes later', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    const page = new Page(server, BOB, null)
    page.channel.listed([])
    page.channel.synced([])
    await page.is('clear')
    void page.opens(server.item())
    await page.is('locked')
    page.channel.share(OTHER, 'lemons', 'text')
    await vi.waitFor(() => expect(page.states.at(-1)).toBe('locked'))
    expect(server.of('share')).toHaveLength(1)
  })
})

describe('e8 a device outside that waits to share', () => {
  /** Bob's page, which came without the link and has something to share; the other devices are of the test. */
  let bob: Page
  const says = (from: DeviceId, way: object) => bob.channel.heard(from, way)
  const keyless = { op: 'refused', why: 'keyless' }
  /** Bob has heard what a device said: he has answered what it asks after that. */
  const hasHeard = async (from: DeviceId) => {
    const answers = () => server.ways.filter(({ message }) => (message as { op: string }).op === 'refused')
    const before = answers().length
    says(from, { op: 'commit', commitment: '' })
    await vi.waitFor(() => expect(answers()).toHaveLength(before + 1))
  }
  /** Nothing went out in clear text, and what waited goes out sealed once Ada lets Bob in. */
  const hasKept = async (text: string) => {
    expect(server.of('share')).toEqual([])
    ada.asks = false
    server.pages.set(ADA, ada)
    server.lists(BOB)
    server.lists(ADA, BOB)
    await shared()
    expect(JSON.stringify(server.told)).not.toContain(text)
  }

  beforeEach(() => {
    server.pages.delete(ADA)
    bob = new Page(server, BOB, null)
  })

  it('shares nothing in clear text when the others are gone for a moment before they could answer', async () => {
    bob.channel.share(ITEM, 'bread', 'text')
    server.lists(ADA, BOB)
    await bob.is('locked')
    await vi.waitFor(() => expect(server.ways).toMatchObject([{ to: ADA, message: { op: 'commit' } }]))
    server.lists(BOB)
    server.lists(BOB)
    expect(bob.states).not.toContain('clear')
    await hasKept('bread')
  })

  it.each([
    ['asks it to wait', { op: 'wait' }],
    ['shows what is to be compared', { op: 'accept', key: '', nonce: '' }],
    ['refuses it by its person', { op: 'refused', why: 'person' }],
    ['refuses it after too many failures', { op: 'refused', why: 'locked' }],
    ['tells its own key', { op: 'device', sealed: '', isAnswer: false }],
    ['hands keys over', { op: 'keys', encapsulated: '', sealed: '' }],
  ])('knows that the beam is sealed from one that %s, also when that is gone again', async (_, way) => {
    server.lists(BOB)
    await bob.is('clear')
    server.lists(ADA, BOB)
    await bob.is('locked')
    bob.channel.share(ITEM, 'bread', 'text')
    says(ADA, way)
    await hasHeard(ADA)
    server.lists(BOB)
    server.lists(BOB)
    expect(bob.states.at(-1)).toBe('locked')
    await hasKept('bread')
  })

  it('waits again for one that had no key, and has come by one since', async () => {
    server.lists(BOB, EVE)
    says(EVE, keyless)
    await bob.is('clear')
    says(EVE, { op: 'wait' })
    await bob.is('locked')
  })

  it('asks one that had no key again when it comes back', async () => {
    server.lists(BOB, EVE)
    says(EVE, keyless)
    await bob.is('clear')
    server.lists(BOB)
    server.lists(BOB, EVE)
    await bob.is('locked')
    says(EVE, keyless)
    await bob.is('clear')
  })

  it('remembers a sealed item that came while it waited', async () => {
    ada.channel.share(ITEM, 'bread', 'text')
    await shared()
    bob.channel.listed([sealing(EVE), sealing(BOB)])
    bob.channel.synced([])
    await bob.is('locked')
    void bob.opens(server.item())
    says(EVE, keyless)
    await hasHeard(EVE)
    expect(bob.states).not.toContain('clear')
  })

  it('shares in clear text again after another device has passed by, where nobody had a key before', async () => {
    server.lists(BOB)
    await bob.is('clear')
    server.lists(BOB, EVE)
    await bob.is('locked')
    server.lists(BOB)
    await bob.is('clear')
  })
})

describe('e8 the way in without the link', () => {
  const typed = async (me: DeviceId) => {
    const page = new Page(server, me, null)
    server.lists(...server.pages.keys())
    return page
  }

  it('is open to the first other device, and both show the same pictures until they are compared', async () => {
    const bob = await typed(BOB)
    await bob.is('sealed')
    expect(bob.states).toContain('locked')
    expect(bob.trust[ADA]).toMatchObject({ state: 'unverified' })
    expect(ada.trust[BOB]?.signs).toEqual(bob.trust[ADA]?.signs)
    expect(bob.in).toEqual([ADA])
    expect(bob.invite).toBe(ada.invite)
  })

  it('leaves who has let this device in unverified, also where it is known otherwise first that it is in', async () => {
    const kept = new Gate()
    const write = vi.fn(() => kept.wait())
    const store = { read: async () => null, write, remove: async () => {} }
    const bob = new Page(server, BOB, null, new Secrets(store, newDeposits()))
    server.lists(ADA, BOB)
    await vi.waitFor(() => expect(write).toHaveBeenCalled())
    bob.channel.ways.look('sealed')
    kept.open()
    await vi.waitFor(() => expect(bob.in).toEqual([ADA]))
    expect(bob.trust[ADA]).toMatchObject({ state: 'unverified' })
  })

  it('waits for a person once a device was let in, and says so to that device alone', async () => {
    await bobJoins()
    const eve = await typed(EVE)
    await vi.waitFor(() => expect(ada.trust[EVE]).toMatchObject({ state: 'asking' }))
    expect(server.ways.at(-1)?.message).toEqual({ op: 'wait' })
    expect(eve.states.at(-1)).toBe('locked')
    expect(eve.trust[ADA]?.signs).toEqual(ada.trust[EVE]?.signs)
    expect(ada.confirms(EVE)).toBe(true)
    await eve.is('sealed')
    expect(ada.trust[EVE]).toMatchObject({ state: 'verified' })
  })

  it('waits for a person at once where the person wants to be asked', async () => {
    ada.asks = true
    const bob = await typed(BOB)
    await vi.waitFor(() => expect(ada.trust[BOB]).toMatchObject({ state: 'asking' }))
    ada.channel.ways.refuse(BOB)
    await vi.waitFor(() => expect(bob.trust[ADA]).toBeNull())
    expect(ada.trust[BOB]).toMatchObject({ state: 'refused' })
    expect(bob.states.at(-1)).toBe('locked')
  })

  it('does not open to a device that nobody sees in the list', async () => {
    const eve = new Page(new Server(), EVE, null)
    await eve.secrets.enter(BEAM, null)
    server.lists(ADA)
    ada.channel.heard(EVE, { op: 'commit', commitment: await eve.secrets.commit(BEAM, ADA) })
    ada.channel.signal(BOB, 'what comes after it')
    await vi.waitFor(() => expect(server.of('signal')).toHaveLength(1))
    expect(server.ways).toEqual([])
  })

  it('counts what was shown and not let in: pictures cannot be tried until two are the same', async () => {
    await bobJoins()
    for (let times = 0; times < 4; times += 1) {
      const eve = new Page(server, EVE, null)
      server.lists(ADA, EVE)
      await vi.waitFor(() => expect(eve.trust[ADA] !== undefined || times === 3).toBe(true))
    }
    await vi.waitFor(() => expect(server.ways.at(-1)?.message).toEqual({ op: 'refused', why: 'locked' }))
  })

  it('is locked for a while after three failures', async () => {
    server.lists(ADA, EVE)
    for (const commitment of ['AAAA', 'BBBB', 'CCCC', 'DDDD', 'EEEE'])
      ada.channel.heard(EVE, { op: 'commit', commitment })
    await vi.waitFor(() => expect(server.ways).toHaveLength(5))
    const answers = server.ways.map(({ message }) => (message as { op: string }).op)
    expect(answers).toEqual(['accept', 'accept', 'accept', 'refused', 'refused'])
  })

  it('does not open where the server puts in a key of its own', async () => {
    const bob = new Page(server, BOB, null)
    server.pages.delete(ADA)
    bob.channel.listed([ADA, BOB].map(sealing))
    bob.channel.synced([])
    await vi.waitFor(() => expect(server.ways).toHaveLength(1))
    const eve = new Page(new Server(), EVE, null)
    const { invite } = await eve.secrets.make(BEAM)
    const accepted = await eve.secrets.accept(BEAM, BOB, commitmentIn(server.ways[0]?.message), true)
    bob.channel.heard(ADA, { op: 'accept', ...accepted?.share })
    await vi.waitFor(() => expect(server.ways).toHaveLength(2))
    // Bob is let into a beam of the server's, and shows pictures that no device of his has.
    expect(bob.trust[ADA]?.state).toBe('unverified')
    expect(ada.trust[BOB]).toBeUndefined()
    expect(invite).not.toBe(ada.invite)
  })
})

function commitmentIn(message: unknown): string {
  return (message as { commitment: string }).commitment
}
