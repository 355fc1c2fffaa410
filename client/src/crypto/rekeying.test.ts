/** Devices that join, leave, come back, are removed, and renew the link: who can read what (E15). */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromBase64Url, toBase64Url, utf8 } from './bytes'
import { atStep } from './change-stage'
import { deviceKeys, sealFor } from './device-keys'
import { HandingOver } from './handing-over'
import { Keyring } from './keyring'
import { LinkJoining } from './link-joining'
import { compareStates, type SharedKeys } from './shared-keys'
import { messageOf, type WelcomeMessage, welcomeWith } from './state-welcome'

/** What a device says of names, where none of them matters. */
const NAMING = { name: 'device', hasYours: true }

/** A device of the beam, or one that was. */
class Device {
  ring = new Keyring()
  isHere = true
  isRemoved = false
  #joining: LinkJoining | null = null

  constructor(readonly id: string) {}

  get joining(): LinkJoining {
    if (this.#joining?.ring !== this.ring) this.#joining = new LinkJoining(this.ring)
    return this.#joining
  }

  get handing(): HandingOver {
    return new HandingOver(this.ring)
  }

  /** Makes new keys where a removed device may have those of now. */
  async covers(): Promise<void> {
    if (this.ring.uncovered.length > 0) await this.ring.rekey([])
  }

  async reads(envelope: string): Promise<boolean> {
    return (await this.ring.open('share_clipboard', envelope)) !== null
  }
}

/** What was shared, and of whose removal its device had heard. */
interface Shared {
  readonly envelope: string
  readonly heardOf: readonly string[]
}

interface Sealed {
  readonly from: string
  readonly to: string
  readonly message: WelcomeMessage
}

/** A beam whose server keeps everything that goes by. */
class Beam {
  readonly devices: Device[] = []
  readonly shared: Shared[] = []
  readonly introductions: string[] = []
  readonly handed: Sealed[] = []
  readonly welcomes: Sealed[] = []

  static async begins(): Promise<Beam> {
    const beam = new Beam()
    const maker = new Device('device 0')
    maker.ring = await Keyring.make()
    beam.devices.push(maker)
    return beam
  }

  get in(): readonly Device[] {
    return this.devices.filter(({ isRemoved }) => !isRemoved)
  }

  get here(): readonly Device[] {
    return this.in.filter(({ isHere }) => isHere)
  }

  at(place: number): Device {
    const device = this.here[place % this.here.length]
    if (!device) throw new Error('Nobody is here.')
    return device
  }

  async joins(by: Device): Promise<void> {
    const device = new Device(`device ${this.devices.length}`)
    if (by.ring.secret) await device.ring.invite(by.ring.secret)
    expect(await this.#asks(device, by)).toBe(true)
    this.devices.push(device)
  }

  async #opens(device: Device, by: Device): Promise<void> {
    if (by.ring.secret) await device.ring.invite(by.ring.secret)
    await this.#asks(device, by)
  }

  async #asks(device: Device, by: Device): Promise<boolean> {
    const request = await device.joining.ask()
    const message = request && (await by.joining.answer(device.id, request))
    if (!message || typeof message === 'string') return false
    this.welcomes.push({ from: by.id, to: device.id, message })
    const isIn = await device.joining.welcomed(device.id, message)
    await device.covers()
    return isIn
  }

  async removes(by: Device, device: Device): Promise<void> {
    if (by === device) return
    device.isRemoved = true
    await by.ring.rekey([device.id])
    for (const one of this.here.filter((other) => other !== by)) await this.#hands(by, one)
  }

  async #hands(by: Device, to: Device): Promise<void> {
    const message = await by.handing.handTo(to.id, by.id)
    if (message) await this.#takes(to, { from: by.id, to: to.id, message })
  }

  async #takes(device: Device, sealed: Sealed): Promise<void> {
    this.handed.push(sealed)
    const here = this.here.map(({ id }) => id)
    await device.handing.handed(sealed.from, device.id, sealed.message, here)
    await device.covers()
  }

  async shares(by: Device): Promise<void> {
    const envelope = await by.ring.seal('share_clipboard', 'a secret')
    this.shared.push({ envelope, heardOf: by.ring.devices.gone })
  }

  /** All who are here tell all others their public keys, and are handed what they lack. */
  async settles(): Promise<void> {
    for (let times = 0; times < 3; times += 1) {
      for (const one of this.here)
        for (const other of this.here) if (one !== other) await this.#tells(one, other)
    }
  }

  async #tells(one: Device, other: Device, isAnswer = false): Promise<void> {
    const told = await one.handing.introduce(one.id, other.id, NAMING)
    this.introductions.push(told)
    const { keys, isAsking } = await other.handing.introduced(one.id, other.id, told)
    if (keys) await this.#takes(one, { from: other.id, to: one.id, message: keys })
    if (isAsking && !isAnswer) await this.#tells(other, one, true)
  }

  /**
   * All are back. Groups that do not know each other are brought together by people: the device with the newest keys shows its link. It
   * does not have the key of a device that has changed the keys at the same time, and opens the link of that one between.
   */
  async ends(): Promise<void> {
    for (const device of this.in) device.isHere = true
    for (;;) {
      await this.settles()
      const [newest, ...others] = [...this.in].sort((one, other) =>
        compareStates(stateOf(other), stateOf(one)),
      )
      const stuck = others.filter(({ ring }) => ring.inviteId !== newest?.ring.inviteId)
      if (stuck.length === 0) return
      for (const device of stuck) {
        if (!newest) throw new Error('There is one.')
        await this.#opens(device, newest)
        if (device.ring.inviteId === newest.ring.inviteId) continue
        await this.#opens(newest, device)
        await this.#opens(device, newest)
      }
    }
  }
}

function stateOf({ ring }: Device): SharedKeys {
  if (!ring.shared) throw new Error('It was let in.')
  return ring.shared
}

/** What one device hands to another, whatever it says. */
async function says(one: Device, other: Device, state: Partial<SharedKeys>): Promise<WelcomeMessage> {
  const { shared: made } = await Keyring.make()
  const publicKey = one.ring.devices.keyOf(other.id)
  if (!made || !publicKey) throw new Error('They know each other.')
  const changes = [9, 9]
  const told = JSON.stringify({ ...stateOf(one), ...made, devices: {}, changes, ...state })
  const own = { device: one.id, keys: await deviceKeys(one.ring.tellOwn()) }
  return messageOf(await sealFor({ device: other.id, publicKey }, own, utf8(told)))
}

const step = fc.record({
  does: fc.constantFrom('join', 'leave', 'back', 'remove', 'renew', 'share', 'share', 'settle'),
  by: fc.nat(9),
  other: fc.nat(9),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

async function run(beam: Beam, { does, by, other }: Step): Promise<void> {
  const actor = beam.at(by)
  switch (does) {
    case 'join':
      return beam.joins(actor)
    case 'leave':
      if (beam.here.length > 1) actor.isHere = false
      return
    case 'back':
      for (const device of beam.in) device.isHere = true
      return beam.settles()
    case 'remove':
      return beam.removes(actor, beam.in[other % beam.in.length] ?? actor)
    case 'renew':
      return actor.ring.renew()
    case 'share':
      return beam.shares(actor)
    case 'settle':
      return beam.settles()
  }
}

describe('e15 after any joins, departures, removals and renewals', () => {
  it('everybody who is in reads everything, and seals with the same key', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const beam = await Beam.begins()
        for (const one of steps) await run(beam, one)
        await beam.ends()
        for (const device of beam.in) {
          expect(device.ring.shared?.current).toBe(beam.in[0]?.ring.shared?.current)
          expect(device.ring.secret).toEqual(beam.in[0]?.ring.secret)
          for (const { envelope } of beam.shared) expect(await device.reads(envelope)).toBe(true)
        }
      }),
      { numRuns: 40 },
    )
  }, 60_000)

  it('a removed device reads nothing of those that have heard of it, and all have in the end, with all traffic and the help of the server', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 6 }),
        fc.array(step, { maxLength: 8 }),
        removedDeviceReadsNothing,
      ),
      { numRuns: 40 },
    )
  }, 60_000)
})

async function removedDeviceReadsNothing(before: readonly Step[], after: readonly Step[]): Promise<void> {
  const beam = await Beam.begins()
  await beam.joins(beam.at(0))
  for (const one of before) await run(beam, one)
  await run(beam, { does: 'back', by: 0, other: 0 })
  const [ada, eve] = [beam.in[0], beam.in.at(-1)]
  if (!eve || !ada || eve === ada) return
  await beam.removes(ada, eve)
  const old = beam.shared.length
  for (const one of after) await run(beam, one)
  await beam.ends()
  for (const device of beam.in) await beam.shares(device)
  for (const { heardOf } of beam.shared.slice(-beam.in.length)) expect(heardOf).toContain(eve.id)
  await helpsHerself(beam, eve)
  for (const { envelope, heardOf } of beam.shared.slice(old))
    if (heardOf.includes(eve.id)) expect(await eve.reads(envelope)).toBe(false)
}

/** A removed device tries everything that it was told and everything that it can say, as itself and as another device. */
async function helpsHerself(beam: Beam, eve: Device): Promise<void> {
  for (const { from, message } of beam.handed) await eve.handing.handed(from, eve.id, message, [])
  for (const { message } of beam.welcomes) await eve.joining.welcomed(eve.id, message)
  for (const member of beam.in) {
    const ids = [eve.id, 'a new device', ...beam.in.map(({ id }) => id)]
    for (const me of ids) await tries(beam, eve, member, me)
  }
}

/** She asks a device for keys under a name, and offers it keys of her own, which she could read. */
async function tries(beam: Beam, eve: Device, member: Device, me: string): Promise<void> {
  const request = await eve.joining.ask()
  if (request) expect(await member.joining.answer(me, request)).toBe('proof')
  const told = await eve.handing.introduce(me, member.id, NAMING)
  const { keys } = await member.handing.introduced(me, member.id, told)
  if (keys) expect(await eve.handing.handed(member.id, me, keys, [])).toBe(false)
  const hers = new Device(me)
  if (eve.ring.kept) await hers.ring.restore(eve.ring.kept)
  await hers.ring.rekey([])
  const [key] = beam.in.flatMap(({ ring }) => ring.devices.keyOf(member.id) ?? [])
  if (key) hers.ring.devices.learn(member.id, toBase64Url(key))
  const forged = await hers.handing.handTo(member.id, me)
  if (forged) expect(await member.handing.handed(me, member.id, forged, [])).toBe(false)
}

describe('e15 the key pair of a device', () => {
  it('is that which another page of its browser has kept, until others were told of it', async () => {
    const beam = await Beam.begins()
    for (let times = 0; times < 3; times += 1) await beam.joins(beam.at(0))
    const [, first, second, third] = beam.devices
    if (!first?.ring.kept || !second || !third?.ring.kept) throw new Error('There are four.')
    await second.ring.restore(first.ring.kept)
    expect(second.ring.kept?.own).toBe(first.ring.kept.own)
    await second.handing.introduce(second.id, 'device 0', NAMING)
    await second.ring.restore(third.ring.kept)
    expect(second.ring.kept?.own).toBe(first.ring.kept.own)
  })

  it('is the same after a reload', async () => {
    const beam = await Beam.begins()
    const [ada, later] = [beam.at(0), new Device('device 0')]
    await ada.handing.introduce(ada.id, 'another', NAMING)
    if (ada.ring.kept) await later.ring.restore(ada.ring.kept)
    expect(later.ring.tellOwn()).toEqual(ada.ring.tellOwn())
  })
})

describe('e15 the keys', () => {
  async function three() {
    const beam = await Beam.begins()
    await beam.joins(beam.at(0))
    await beam.joins(beam.at(0))
    await beam.settles()
    const [ada, bob, eve] = beam.devices
    if (!ada || !bob || !eve) throw new Error('There are three.')
    return { beam, ada, bob, eve }
  }

  // Which of the two counts is chance.
  it.each([1, 2, 3, 4, 5, 6])(
    'of two removals at once are followed by some that neither removed device has (%i)',
    async () => {
      const { beam, ada, bob, eve } = await three()
      await beam.joins(ada)
      await beam.settles()
      const dan = beam.devices[3]
      if (!dan) throw new Error('There are four.')
      // Each has removed another device before it hears of the other.
      await ada.ring.rekey([eve.id])
      await bob.ring.rekey([dan.id])
      for (const gone of [eve, dan]) gone.isRemoved = true
      const [forEve, forDan] = [
        await bob.handing.handTo(eve.id, bob.id),
        await ada.handing.handTo(dan.id, ada.id),
      ]
      if (forEve) await eve.handing.handed(bob.id, eve.id, forEve, [])
      if (forDan) await dan.handing.handed(ada.id, dan.id, forDan, [])
      await beam.settles()
      await beam.shares(ada)
      await beam.shares(bob)
      for (const { envelope } of beam.shared) {
        expect([await ada.reads(envelope), await bob.reads(envelope)]).toEqual([true, true])
        expect([await eve.reads(envelope), await dan.reads(envelope)]).toEqual([false, false])
      }
    },
  )

  it('of a removal count, and not those of renewals at the same moment: these keep what the removed device has', async () => {
    const { beam, ada, bob, eve } = await three()
    await ada.ring.rekey([eve.id])
    eve.isRemoved = true
    for (let times = 0; times < 3; times += 1) await bob.ring.renew()
    const { current } = ada.ring.shared ?? {}
    await beam.settles()
    expect([ada.ring.shared?.current, bob.ring.shared?.current]).toEqual([current, current])
    expect(bob.ring.secret).toEqual(ada.ring.secret)
  })

  it('are not taken of who says that a device which is here was removed', async () => {
    const { ada, bob, eve } = await three()
    await eve.ring.rekey([ada.id])
    const forged = await eve.handing.handTo(bob.id, eve.id)
    if (!forged) throw new Error('Eve knows him.')
    expect(await bob.handing.handed(eve.id, bob.id, forged, [ada.id, bob.id, eve.id])).toBe(false)
  })

  it('are not taken of who says that it was removed itself, or who hears it', async () => {
    const { ada, bob, eve } = await three()
    for (const removed of [[eve.id], [bob.id], [bob.id, eve.id]]) {
      const told = await says(eve, bob, { removed })
      expect(await bob.handing.handed(eve.id, bob.id, told, [ada.id])).toBe(false)
    }
    expect(await bob.handing.handed(eve.id, bob.id, await says(eve, bob, {}), [ada.id])).toBe(true)
  })

  it('are handed to no removed device that said a key of its own in the name of another', async () => {
    const { ada, bob, eve } = await three()
    const told = await eve.handing.introduce(bob.id, ada.id, NAMING)
    await ada.handing.introduced(bob.id, ada.id, told)
    await ada.ring.rekey([eve.id])
    const message = await ada.handing.handTo(bob.id, ada.id)
    if (!message) throw new Error('Ada knows him.')
    expect(await eve.handing.handed(ada.id, bob.id, message, [])).toBe(false)
    expect(await bob.handing.handed(ada.id, bob.id, message, [])).toBe(true)
  })

  it('are not taken twice, or after newer ones', async () => {
    const { ada, bob } = await three()
    await ada.ring.renew()
    const first = await ada.handing.handTo(bob.id, ada.id)
    await ada.ring.rekey([])
    const second = await ada.handing.handTo(bob.id, ada.id)
    for (const message of [second, first, second]) {
      if (message) await bob.handing.handed(ada.id, bob.id, message, [])
    }
    expect(bob.ring.shared?.current).toBe(ada.ring.shared?.current)
    expect(bob.ring.secret).toEqual(ada.ring.secret)
  })

  it('are not taken when they leave no number for later ones', async () => {
    const { bob, eve } = await three()
    const { kept } = eve.ring
    if (!kept) throw new Error('Eve is in.')
    await eve.ring.restore({ ...kept, changes: [Number.MAX_SAFE_INTEGER, 1] })
    const message = await eve.handing.handTo(bob.id, eve.id)
    if (!message) throw new Error('Eve knows him.')
    expect(await bob.handing.handed(eve.id, bob.id, message, [])).toBe(false)
  })

  it('of a renewal are the same but for the invite: the old link opens nothing, and the new one does', async () => {
    const { ada, bob, eve } = await three()
    const [late, early] = [new Device('late'), new Device('early')]
    const old = bob.ring.secret
    const { current } = bob.ring.shared ?? {}
    await ada.ring.renew()
    if (old) await early.ring.invite(old)
    if (ada.ring.secret) await late.ring.invite(ada.ring.secret)
    const [wrong, right] = [await early.joining.ask(), await late.joining.ask()]
    if (!wrong || !right) throw new Error('They have links.')
    expect(await ada.joining.answer('early', wrong)).toBe('proof')
    const welcome = await ada.joining.answer('late', right)
    expect(typeof welcome !== 'string' && (await late.joining.welcomed('late', welcome))).toBe(true)
    expect(late.ring.shared?.current).toBe(current)
    expect(
      await late.ring.open('share_clipboard', await eve.ring.seal('share_clipboard', 'before')),
    ).not.toBeNull()
  })

  it('of a link that this device had before are not taken from who still has it', async () => {
    const { ada, bob, eve } = await three()
    const old = bob.ring.secret
    await ada.ring.rekey([eve.id])
    const message = await ada.handing.handTo(bob.id, ada.id)
    if (!message || !old) throw new Error('Ada knows him.')
    await bob.handing.handed(ada.id, bob.id, message, [])
    await bob.ring.invite(old)
    expect(bob.ring.hasOtherLink).toBe(false)
    expect(bob.ring.secret).toEqual(ada.ring.secret)
  })

  it('of a welcome by the link of before open, and seal nothing', async () => {
    const { bob, eve } = await three()
    const request = await bob.joining.ask()
    await eve.ring.rekey([])
    // She lets him in as by the link that both have.
    const restored = new Device(eve.id)
    if (eve.ring.kept && bob.ring.secret) {
      await restored.ring.restore({ ...eve.ring.kept, invite: toBase64Url(bob.ring.secret) })
    }
    const welcome = request && (await restored.joining.answer(bob.id, request))
    if (!welcome || typeof welcome === 'string') throw new Error('She answers.')
    const { current } = bob.ring.shared ?? {}
    expect(await bob.joining.welcomed(bob.id, welcome)).toBe(true)
    expect(bob.ring.shared?.current).toBe(current)
    expect(fromBase64Url(eve.ring.shared?.current ?? '')).not.toBeNull()
  })
})

describe('e6 a first welcome', () => {
  const countless = Number.MAX_SAFE_INTEGER
  const here = ['late', 'device 0']

  /** A device opens the link of another, which says what it likes. */
  async function welcomed(state: Partial<SharedKeys>): Promise<Keyring> {
    const { ring } = (await Beam.begins()).at(0)
    const late = new Device('late')
    if (ring.secret) await late.ring.invite(ring.secret)
    const [request, invite] = [await late.joining.ask(), ring.inviteNamed(ring.inviteId ?? '')]
    const publicKey = fromBase64Url(request?.key ?? '')
    if (!publicKey || !invite) throw new Error('She asks.')
    const told = { ...stateOf({ ring } as Device), ...state }
    const message = await welcomeWith(told, { publicKey, device: late.id }, invite)
    if (message) await late.joining.welcomed(late.id, message, here)
    return late.ring
  }

  it.each([countless, 5_000_000])('lets nobody in for whom nothing newer would come: %i', async (count) => {
    for (const changes of [[count, 1] as const, [1, count] as const])
      expect((await welcomed({ changes })).isKeyed).toBe(false)
    expect((await welcomed({ changes: [400, 400] })).isKeyed).toBe(true)
  })

  it('is not believed that somebody who is here was removed, and neither is what is kept', async () => {
    const removed = [...here, 'device 1']
    const ring = await welcomed({ removed })
    expect(ring.devices.gone).toEqual(['device 1'])
    await ring.rekey(removed)
    const [sealed, later] = [await ring.sealKept(), new Keyring()]
    if (!sealed || !ring.secret) throw new Error('It has keys.')
    await later.invite(ring.secret)
    expect(await later.openKept(sealed, here)).toBe(true)
    expect(later.removed).toEqual(['device 1'])
  })
})

it('e1 the keys that another page has kept meanwhile, and those of a change in this one: the newer count, and whole', async () => {
  for (let nth = 1; ; nth += 1) {
    const [ring, other] = [await Keyring.make(), new Keyring()]
    if (ring.kept) await other.restore(ring.kept)
    await other.rekey(['another'])
    const { kept } = other
    if (!kept) throw new Error('It has keys.')
    let changed: SharedKeys | null = null
    const change = () => ring.rekey(['one']).then(() => (changed = ring.shared))
    if (!(await atStep(nth, change, () => ring.restore(kept)))) return expect(nth).toBeGreaterThan(5)
    const { shared } = ring
    if (!shared || !changed) throw new Error('It has keys.')
    for (const state of [kept, changed]) expect([nth, compareStates(shared, state) >= 0]).toEqual([nth, true])
    expect([nth, shared.current === kept.current]).toEqual([nth, shared.invite === kept.invite])
  }
})
