import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toBase64Url } from './bytes'
import { Keyring } from './keyring'
import { LinkJoining } from './link-joining'
import { sharedIn } from './shared-keys'

const DEVICE = '21234567-89ab-8cde-8f01-23456789abcd'

/** A device that has the link of the beam. */
async function joiner({ secret }: Keyring): Promise<LinkJoining> {
  const ring = new Keyring()
  if (secret) await ring.invite(secret)
  return new LinkJoining(ring)
}

async function join(from: Keyring, as = DEVICE): Promise<Keyring> {
  const bob = await joiner(from)
  const request = await bob.ask()
  const answer = request && (await new LinkJoining(from).answer(as, request))
  if (!answer || typeof answer === 'string') throw new Error(`refused: ${answer}`)
  expect(await bob.welcomed(DEVICE, answer)).toBe(true)
  return bob.ring
}

it('e6 a device that was let in opens what was sealed before, and seals what the others open', async () => {
  const ada = await Keyring.make()
  const before = await ada.seal('share_clipboard', 'before')
  const bob = await join(ada)
  const after = await bob.seal('share_clipboard', 'after')
  const text = async (ring: Keyring, envelope: string) =>
    new TextDecoder().decode((await ring.open('share_clipboard', envelope))?.content)
  expect([await text(bob, before), await text(ada, after)]).toEqual(['before', 'after'])
})

it('e6 a device that was let in lets others in', async () => {
  const ada = await Keyring.make()
  const cleo = await join(await join(ada))
  expect(cleo.shared).toEqual(ada.shared)
  expect(cleo.shared?.hasLetIn).toBe(true)
})

it('e6 nobody is let in without the secret, by a proof of another key, or by a device that has no key', async () => {
  const ada = new LinkJoining(await Keyring.make())
  const [bob, eve] = [await joiner(ada.ring), await joiner(await Keyring.make())]
  const [right, wrong] = [await bob.ask(), await eve.ask()]
  if (!right || !wrong) throw new Error('They have secrets.')
  expect(await ada.answer(DEVICE, wrong)).toBe('proof')
  expect(await ada.answer(DEVICE, { ...right, key: wrong.key })).toBe('proof')
  expect(await ada.answer(DEVICE, { ...right, id: wrong.id })).toBe('proof')
  expect(await (await joiner(ada.ring)).answer(DEVICE, right)).toBe('keyless')
})

it('e6 a welcome for another device, or for an earlier join, opens nothing', async () => {
  const ada = new LinkJoining(await Keyring.make())
  const [bob, late] = [await joiner(ada.ring), await joiner(ada.ring)]
  const request = await bob.ask()
  await late.ask()
  const forOther = request && (await ada.answer('another', request))
  const forBob = request && (await ada.answer(DEVICE, request))
  if (!forOther || !forBob || typeof forOther === 'string' || typeof forBob === 'string')
    throw new Error('refused')
  expect(await bob.welcomed(DEVICE, forOther)).toBe(false)
  expect(await late.welcomed(DEVICE, forBob)).toBe(false)
  expect(await bob.welcomed(DEVICE, forBob)).toBe(true)
  // It was for one join.
  expect(await bob.welcomed(DEVICE, forBob)).toBe(false)
})

it('e2 two pages with the same keys never use a nonce twice', async () => {
  const ada = await Keyring.make()
  const reloaded = new Keyring()
  if (ada.shared) await reloaded.take(ada.shared)
  const sealed = await Promise.all(
    [ada, reloaded].flatMap((ring) => Array.from({ length: 50 }, () => ring.seal('share_clipboard', 'x'))),
  )
  // The header has the page and the number: 33 bytes are 44 characters.
  expect(new Set(sealed.map((envelope) => envelope.slice(0, 49))).size).toBe(100)
})

it('e1 kept keys that were damaged are not taken', async () => {
  const { shared } = await Keyring.make()
  if (!shared) throw new Error('It has keys.')
  const other = toBase64Url(new Uint8Array(32))
  for (const damaged of [
    { ...shared, keys: [] },
    { ...shared, keys: [other] },
    { ...shared, keys: [...shared.keys, 'no key'] },
    { ...shared, invite: 'no secret' },
  ]) {
    const ring = new Keyring()
    expect(await ring.take(damaged)).toBe(false)
    expect(ring.isKeyed).toBe(false)
  }
  fc.assert(fc.property(fc.json(), (json) => void sharedIn(json)))
})
