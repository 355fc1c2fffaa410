/** The keys of beams, where a server, strangers and removed devices try what they can. */
import { describe, expect, it } from 'vitest'
import { atStep } from '../crypto/change-stage'
import type { Deposit } from '../crypto/deposit'
import type { JoinRequest } from '../crypto/link-joining'
import type { KeptShared } from '../crypto/shared-keys'
import type { BeamId, DeviceId } from '../protocol/bindings'
import type { KeptKeys } from './entered-beams'
import { Gate } from './gate'
import type { Having } from './having'
import type { Deposits } from './saved-beam-secrets'
import { Secrets } from './secrets'

const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
const [ADA, BOB, EVE] = ['1', '2', '3'].map(
  (first) => `${first}1234567-89ab-8cde-8f01-23456789abcd` as DeviceId,
) as [DeviceId, DeviceId, DeviceId]

/** What a device says of names, where none of them matters. */
const NAMING = { name: 'device', hasYours: true }

const NOWHERE: KeptKeys = { read: async () => null, write: async () => {}, remove: async () => {} }
const NO_DEPOSITS: Deposits = { read: async () => null, write: async () => {} }

function newSecrets(deposits = NO_DEPOSITS, kept = NOWHERE): Secrets {
  return new Secrets(kept, deposits)
}

/** A device that has made a beam. */
async function maker(deposits = NO_DEPOSITS): Promise<Secrets> {
  const secrets = newSecrets(deposits)
  await secrets.make(BEAM)
  return secrets
}

/** What a browser keeps. */
function keptHere(): { kept: KeptKeys; pages: Map<BeamId, KeptShared> } {
  const pages = new Map<BeamId, KeptShared>()
  const kept: KeptKeys = {
    read: async (beam) => pages.get(beam) ?? null,
    write: async (beam, keys) => void pages.set(beam, keys),
    remove: async (beam) => void pages.delete(beam),
  }
  return { kept, pages }
}

async function linkOf(secrets: Secrets): Promise<string | null> {
  return (await secrets.enter(BEAM, null)).invite
}

async function asked(secrets: Secrets): Promise<JoinRequest> {
  const request = await secrets.ask(BEAM)
  if (!request) throw new Error('It has a link.')
  return request
}

/** One device asks another one to be let in, with the link that it has. */
async function joins(joiner: Secrets, me: DeviceId, by: Secrets, from = ADA): Promise<Having> {
  const answer = await by.answer(BEAM, me, await asked(joiner))
  if (typeof answer === 'string') throw new Error(`refused: ${answer}`)
  return joiner.welcomed(BEAM, me, from, answer, false)
}

/** A device that was let in by the link of another one. */
async function member(me: DeviceId, by: Secrets): Promise<Secrets> {
  const secrets = newSecrets()
  await secrets.enter(BEAM, await linkOf(by))
  await joins(secrets, me, by)
  return secrets
}

async function reads(reader: Secrets, writer: Secrets): Promise<boolean> {
  const sealed = await writer.seal(BEAM, 'share_clipboard', 'oat milk')
  return (await reader.open(BEAM, 'share_clipboard', sealed)).is === 'open'
}

describe('e15 while the keys are changed', () => {
  /** Asks with the old link at each step of a change, every time as another device. */
  async function asksAtEachStep(changes: () => Promise<{ device: Secrets; change(): Promise<unknown> }>) {
    for (let nth = 1; ; nth += 1) {
      const { device, change } = await changes()
      const removed = newSecrets()
      await removed.enter(BEAM, await linkOf(device))
      const request = await asked(removed)
      let answer: Awaited<ReturnType<Secrets['answer']>> = 'proof'
      const answers = async () => {
        answer = await device.answer(BEAM, EVE, request)
      }
      if (!(await atStep(nth, change, answers))) return nth
      if (typeof answer !== 'string') await removed.welcomed(BEAM, EVE, ADA, answer, false)
      expect([nth, await reads(removed, device)]).toEqual([nth, false])
    }
  }

  it('nobody gets the new ones by the old link', async () => {
    const steps = await asksAtEachStep(async () => {
      const ada = await maker()
      return { device: ada, change: () => ada.rekey(BEAM, [EVE]) }
    })
    expect(steps).toBeGreaterThan(5)
  })

  it('nobody gets those that are handed over by the old link', async () => {
    const steps = await asksAtEachStep(async () => {
      const ada = await maker()
      const bob = await member(BOB, ada)
      await ada.introduced(BEAM, BOB, ADA, await bob.introduce(BEAM, BOB, ADA, NAMING))
      await bob.introduced(BEAM, ADA, BOB, await ada.introduce(BEAM, ADA, BOB, NAMING))
      await ada.rekey(BEAM, [EVE])
      const keys = await ada.handTo(BEAM, BOB, ADA)
      if (!keys) throw new Error('Ada knows Bob.')
      return { device: bob, change: () => bob.handed(BEAM, ADA, BOB, keys, [ADA, BOB]) }
    })
    expect(steps).toBeGreaterThan(5)
  })
})

describe('e15 a link that is opened by a device which is in', () => {
  /** Ada, Bob by her link, and Eve, who has made a beam of her own under the same id. */
  const three = async () => {
    const ada = await maker()
    return { ada, bob: await member(BOB, ada), eve: await maker() }
  }

  it('of a stranger gives that one nothing, and nothing of theirs opens', async () => {
    const { ada, bob, eve } = await three()
    expect(await bob.enter(BEAM, await linkOf(eve))).toMatchObject({ hasOtherLink: true })
    await joins(bob, BOB, eve, EVE)
    expect([await reads(ada, bob), await reads(eve, bob), await reads(bob, eve)]).toEqual([
      true,
      false,
      false,
    ])
    expect(await linkOf(bob)).toBe(await linkOf(ada))
  })

  it('of a device that was removed before the keys of now gives that one nothing', async () => {
    const { ada, bob } = await three()
    const eve = await member(EVE, ada)
    await bob.rekey(BEAM, [EVE])
    for (let times = 0; times < 3; times += 1) await eve.rekey(BEAM, [])
    await bob.enter(BEAM, await linkOf(eve))
    await joins(bob, BOB, eve, EVE)
    expect(await reads(eve, bob)).toBe(false)
  })

  it('gives newer keys where they are made after those of now', async () => {
    const { ada, bob } = await three()
    await ada.rekey(BEAM, [EVE])
    await bob.enter(BEAM, await linkOf(ada))
    await joins(bob, BOB, ada)
    expect([await reads(ada, bob), await linkOf(bob)]).toEqual([true, await linkOf(ada)])
  })

  it('is asked with once, also where nothing newer comes by it', async () => {
    const { ada, bob, eve } = await three()
    const renews = (device: Secrets) => device.moved(BEAM, BEAM, true)
    await renews(ada)
    await renews(bob)
    await renews(bob)
    await bob.enter(BEAM, await linkOf(ada))
    expect(await joins(bob, BOB, ada)).toMatchObject({ hasOtherLink: false })
    expect(await bob.enter(BEAM, await linkOf(ada))).toMatchObject({ hasOtherLink: false })
    await bob.enter(BEAM, await linkOf(eve))
    expect(await joins(bob, BOB, eve, EVE)).toMatchObject({ hasOtherLink: false })
  })
})

describe('e9 the deposit of a saved beam', () => {
  class Bank implements Deposits {
    deposit: Deposit | null = null
    read = async () => this.deposit
    write = async (_: BeamId, deposit: Deposit) => {
      this.deposit = deposit
    }
  }

  /** Ada has saved her beam. */
  async function saved() {
    const bank = new Bank()
    const ada = await maker(bank)
    await ada.stored(BEAM, true)
    await ada.deposit(BEAM)
    return { bank, ada }
  }

  /** A device that comes to the saved beam, with a link or without. */
  async function comes(bank: Bank, link: string | null, kept = NOWHERE) {
    const device = newSecrets(bank, kept)
    await device.enter(BEAM, link)
    return { device, having: await device.withdraw(BEAM) }
  }

  it('opens for who has the link, or a link that was made of its key', async () => {
    const { bank, ada } = await saved()
    const phone = await comes(bank, null)
    const guests = [await comes(bank, await linkOf(ada)), await comes(bank, await linkOf(phone.device))]
    for (const { device, having } of [phone, ...guests]) {
      expect(having).toMatchObject({ isKeyed: true, deposits: true })
      expect(await reads(device, ada)).toBe(true)
    }
  })

  it('that the server made up is not believed by who has the link, and gets no keys of that device', async () => {
    const { bank, ada } = await saved()
    const { deposit: right } = bank
    const server = await maker(bank)
    await server.stored(BEAM, true)
    await server.deposit(BEAM)
    const { deposit: made } = bank
    if (!right || !made) throw new Error('There are two.')
    const mixed = [
      { ...made, proof: right.proof },
      { ...right, ...made, keys: [...right.keys, ...made.keys] },
    ]
    for (const deposit of [made, { ...made, proof: null }, ...mixed]) {
      bank.deposit = deposit
      const { device, having } = await comes(bank, await linkOf(ada))
      expect(having).toMatchObject({ isKeyed: false, deposits: false })
      expect(await joins(device, BOB, ada)).toMatchObject({ isKeyed: true, deposits: false })
      expect(await reads(ada, device)).toBe(true)
    }
  })

  it('is not made by a device that was let in since, or by a later page of it', async () => {
    const { bank, ada } = await saved()
    const { kept } = keptHere()
    const { device, having } = await comes(bank, null, kept)
    expect(having.deposits).toBe(true)
    // Another page of the browser has begun with the same keys.
    const other = newSecrets(bank, kept)
    await other.enter(BEAM, null)
    expect(await joins(device, BOB, ada)).toMatchObject({ isKeyed: true, deposits: false })
    for (const page of [other, newSecrets(bank, kept), device]) {
      expect(await page.enter(BEAM, null)).toMatchObject({ deposits: false })
    }
    // Its person may still save the beam.
    expect(await device.stored(BEAM, true)).toMatchObject({ deposits: true })
  })

  it('keeps what proves it when a device that does not know the link deposits the same', async () => {
    const { bank, ada } = await saved()
    const { device } = await comes(bank, null)
    await device.deposit(BEAM)
    expect((await comes(bank, await linkOf(ada))).having.isKeyed).toBe(true)
  })
})

describe('the keys of a beam that its person has removed from this browser', () => {
  const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

  /** A device that deposits the keys of a saved beam, and is left without an answer until `answers` is called. */
  const deposits = async () => {
    const { kept, pages } = keptHere()
    const [isAsked, answer] = [new Gate(), new Gate()]
    const write = async () => {
      isAsked.open()
      await answer.wait()
    }
    const secrets = newSecrets({ ...NO_DEPOSITS, write }, kept)
    await secrets.make(BEAM)
    await secrets.stored(BEAM, true)
    const depositing = secrets.deposit(BEAM)
    await isAsked.wait()
    const answers = () => {
      answer.open()
      return depositing
    }
    return { secrets, kept, pages, answers }
  }

  it('e8 do not come back from a deposit that the server answers later', async () => {
    const { secrets, pages, answers } = await deposits()
    await secrets.forget(BEAM)
    await answers()
    expect([...pages]).toEqual([])
  })

  it('e8 do not come back from it where the beam was entered anew, by who has nothing of it', async () => {
    const { secrets, pages, answers } = await deposits()
    await secrets.forget(BEAM)
    await secrets.enter(BEAM, null)
    await answers()
    expect([...pages]).toEqual([])
  })

  it('e8 do not come back from what is still being written', async () => {
    const { kept, pages } = keptHere()
    const [isWriting, goesOn] = [new Gate(), new Gate()]
    const write: KeptKeys['write'] = async (beam, keys) => {
      isWriting.open()
      await goesOn.wait()
      await kept.write(beam, keys)
    }
    const secrets = newSecrets(NO_DEPOSITS, { ...kept, write })
    const making = secrets.make(BEAM)
    await isWriting.wait()
    const forgetting = secrets.forget(BEAM)
    goesOn.open()
    await Promise.all([making, forgetting])
    expect([...pages]).toEqual([])
  })

  it('h28 are kept under the new id alone where the link was renewed meanwhile', async () => {
    const { secrets, pages, answers } = await deposits()
    await secrets.moved(BEAM, OTHER, true)
    pages.clear()
    await answers()
    expect([...pages.keys()]).toEqual([OTHER])
  })
})
