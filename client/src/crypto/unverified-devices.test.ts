/** The devices that nobody has compared (E8), as the devices of a beam tell each other of them. */
import { beforeEach, describe, expect, it } from 'vitest'
import { Keyring } from './keyring'
import { LinkJoining } from './link-joining'
import { type SharedKeys, sharedIn } from './shared-keys'
import { MOST_UNVERIFIED } from './unverified-devices'

const BOB = '21234567-89ab-8cde-8f01-23456789abcd'
const EVE = '31234567-89ab-8cde-8f01-23456789abcd'

/** The keys of a beam whose first device beside Ada's is Eve's, which nobody has compared. */
async function withEve(): Promise<Keyring> {
  const ada = await Keyring.make()
  ada.unverified.add([EVE])
  return ada
}

/** A device opens the link that another one shows, and is let in by it. */
async function joins(by: Keyring): Promise<Keyring> {
  const bob = new LinkJoining(new Keyring())
  if (by.secret) await bob.ring.invite(by.secret)
  const request = await bob.ask()
  const answer = request && (await new LinkJoining(by).answer(BOB, request))
  if (!answer || typeof answer === 'string') throw new Error(`refused: ${answer}`)
  expect(await bob.welcomed(BOB, answer)).toBe(true)
  return bob.ring
}

function sharedOf({ shared }: Keyring): SharedKeys {
  if (!shared) throw new Error('It has no key.')
  return shared
}

describe('e8 a device that nobody has compared', () => {
  it('is told to who joins by the link, and by that one to the next', async () => {
    const cleo = await joins(await joins(await withEve()))
    expect(cleo.unverified.ids).toEqual([EVE])
  })

  it('is told to who opens the link of a kept beam', async () => {
    const ada = await withEve()
    const bob = new Keyring()
    if (ada.secret) await bob.invite(ada.secret)
    expect(await bob.openKept((await ada.sealKept()) ?? '', [])).toBe(true)
    expect(bob.unverified.ids).toEqual([EVE])
  })

  it('is remembered by a later page', async () => {
    const { kept } = await joins(await withEve())
    const later = new Keyring()
    expect(kept && (await later.restore(kept))).toBe(true)
    expect(later.unverified.ids).toEqual([EVE])
  })

  it('is forgotten once it was removed, also by those that are told of it again', async () => {
    const ada = await withEve()
    const bob = await joins(ada)
    const before = sharedOf(bob)
    await ada.rekey([EVE])
    expect(ada.unverified.ids).toEqual([])
    expect(await bob.take(sharedOf(ada))).toBe(true)
    expect(bob.unverified.ids).toEqual([])
    expect(await bob.take(before)).toBe(true)
    expect(bob.unverified.ids).toEqual([])
  })

  it('is told by nobody whose person has compared it, whatever others tell, and after a reload too', async () => {
    const ada = await withEve()
    const bob = await joins(ada)
    ada.unverified.compare([EVE])
    const later = new Keyring()
    if (ada.kept) await later.restore(ada.kept)
    for (const ring of [ada, later]) {
      expect(await ring.take(sharedOf(bob))).toBe(true)
      expect(sharedOf(ring).unverified).toEqual([])
    }
    expect(bob.unverified.ids).toEqual([EVE])
  })
})

describe('e8 a removal that another device tells of', () => {
  let ada: Keyring
  let bob: Keyring
  let cleo: Keyring

  /** Ada has let Eve in. Bob, who may be another device of Eve's, has changed the keys, and says that Eve was removed. */
  beforeEach(async () => {
    ada = await withEve()
    bob = await joins(ada)
    cleo = await joins(ada)
    await bob.rekey([EVE])
  })

  it('takes no mark from the device that has let it in, nor after a reload', async () => {
    const later = new Keyring()
    if (ada.kept) await later.restore(ada.kept)
    for (const ring of [ada, later]) {
      expect(await ring.take(sharedOf(bob))).toBe(true)
      expect(sharedOf(ring).current).toBe(sharedOf(bob).current)
      expect(ring.unverified.ids).toEqual([EVE])
    }
    const last = new Keyring()
    if (ada.kept) await last.restore(ada.kept)
    expect(last.unverified.ids).toEqual([EVE])
  })

  it('counts for others, until the device that has let it in tells of it again', async () => {
    expect(await cleo.take(sharedOf(bob))).toBe(true)
    expect(cleo.unverified.ids).toEqual([])
    await ada.take(sharedOf(bob))
    expect(await cleo.take(sharedOf(ada))).toBe(true)
    expect(cleo.unverified.ids).toEqual([EVE])
    expect((await joins(cleo)).unverified.ids).toEqual([EVE])
  })

  it('counts for nobody where the keys have not changed', async () => {
    const { changes, ...same } = sharedOf(cleo)
    const [keys, invites] = changes
    const told = { ...same, changes: [keys, invites + 1], removed: [EVE], unverified: [] } as const
    expect(await cleo.take(told)).toBe(true)
    expect(cleo.unverified.ids).toEqual([EVE])
  })

  it('counts for all once the device that has let it in has changed the keys itself', async () => {
    await ada.take(sharedOf(bob))
    await cleo.take(sharedOf(ada))
    const before = sharedOf(cleo)
    await ada.rekey([EVE])
    expect(ada.unverified.ids).toEqual([])
    await cleo.take(sharedOf(ada))
    expect(cleo.unverified.ids).toEqual([])
    const later = new Keyring()
    if (ada.kept) await later.restore(ada.kept)
    for (const ring of [ada, later]) {
      expect(ring.devices.shutOut).toEqual([EVE])
      await ring.take({ ...before, current: sharedOf(ada).current, keys: sharedOf(ada).keys })
      expect(ring.unverified.ids).toEqual([])
    }
  })
})

describe('e8 a welcome', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => EVE.slice(0, -4) + String(at).padStart(4, '0'))

  it('that tells of too many, and of what are no devices, does no harm', async () => {
    const ada = await withEve()
    const made = { ...sharedOf(ada), unverified: ['', '__proto__', 'x'.repeat(10_000), ...ids] }
    const told = sharedIn(JSON.stringify(made))
    expect(told?.unverified).toEqual(ids.slice(0, MOST_UNVERIFIED))
    expect(told && (await ada.take(told))).toBe(true)
    expect(ada.unverified.ids).toHaveLength(MOST_UNVERIFIED)
    expect(ada.unverified.ids[0]).toBe(EVE)
  })

  it('never keeps out the one that this device lets in', async () => {
    const ada = await Keyring.make()
    ada.hears(ids, '')
    ada.unverified.add([EVE])
    expect(ada.unverified.ids).toContain(EVE)
    expect(ada.unverified.ids).toHaveLength(MOST_UNVERIFIED)
  })

  it('of an earlier version tells of none', async () => {
    const { unverified: _, ...earlier } = sharedOf(await Keyring.make())
    expect(sharedIn(JSON.stringify(earlier))).toEqual({ ...earlier, unverified: [] })
  })
})
