/** The keys of a saved beam whose owner has a vault, on several devices of that person, where the server tries what it can. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Deposit, isSameKeys } from '../crypto/deposit'
import { type KeptShared, laterSeen, type Seen } from '../crypto/shared-keys'
import type { BeamId, DeviceId } from '../protocol/bindings'
import type { KeptKeys } from './entered-beams'
import type { Deposits } from './saved-beam-secrets'
import { Secrets } from './secrets'
import type { SeenEntries } from './seen-entries'
import { Accounts, BEAM, type PageVault, pageVault } from './vault-stage'

const [LAPTOP, PHONE] = ['1', '2'].map(
  (first) => `${first}1234567-89ab-8cde-8f01-23456789abcd` as DeviceId,
) as [DeviceId, DeviceId]
const NAMING = { name: 'device', hasYours: true }

let accounts: Accounts
/** What the server was ever given as it is. */
let given: Deposit[]

const bank: Deposits = {
  read: async () => given.at(-1) ?? null,
  write: async (_, keys) => void given.push(keys),
}

function keptKeys(): KeptKeys {
  const kept = new Map<BeamId, KeptShared>()
  return {
    read: async (beam) => kept.get(beam) ?? null,
    write: async (beam, keys) => void kept.set(beam, keys),
    remove: async (beam) => void kept.delete(beam),
  }
}

/** What a browser has seen in vaults. */
function seenHere(): SeenEntries {
  const seen = new Map<string, Seen>()
  return {
    of: async ({ vault, tag }) => seen.get(vault + tag) ?? null,
    note: async ({ vault, tag }, now) => {
      const there = seen.get(vault + tag)
      seen.set(vault + tag, there ? laterSeen(there, now) : now)
    },
  }
}

interface OwnDevice {
  readonly vault: PageVault
  readonly secrets: Secrets
}

/** A device of an account. @param link the secret of the link that it came by */
async function device(name = 'ada', link: string | null = null, kept = keptKeys()): Promise<OwnDevice> {
  const vault = pageVault(accounts.as(name), undefined, kept)
  const secrets = new Secrets(kept, bank, vault, seenHere())
  const device = { vault, secrets }
  await logsIn(device, name)
  await secrets.enter(BEAM, link)
  return device
}

async function logsIn({ vault }: OwnDevice, name = 'ada'): Promise<void> {
  const stretch = accounts.all.get(name)?.vault?.stretch
  if (stretch) await vault.prove('correct horse', stretch).then(() => vault.keepOpener())
  await vault.enterVault(name, false)
  await vault.ownBeams([])
}

async function makesVault({ vault }: OwnDevice): Promise<void> {
  await vault.beginVault()
  expect(await vault.createVault('the old one', 'correct horse')).toBe('done')
}

/** A device that has made the beam, and whose person has saved it. */
async function maker(): Promise<OwnDevice> {
  const made = await device()
  await made.secrets.make(BEAM)
  await made.secrets.stored(BEAM, true)
  await deposits(made)
  return made
}

/** What a device in a saved beam does when it joins, and when keys were changed. */
async function deposits({ secrets }: OwnDevice): Promise<string> {
  const { deposits } = await secrets.withdraw(BEAM)
  if (!deposits) return 'nothing'
  const { went } = await secrets.deposit(BEAM)
  if (went !== 'exposed') return went
  await secrets.rekey(BEAM, [])
  return (await secrets.deposit(BEAM)).went
}

const linkOf = async ({ secrets }: OwnDevice) => (await secrets.enter(BEAM, null)).invite
const seals = ({ secrets }: OwnDevice) => secrets.seal(BEAM, 'share_clipboard', 'oat milk')

/** One device asks another to be let in by its link. */
async function joins(joiner: OwnDevice, by: OwnDevice): Promise<void> {
  const request = await joiner.secrets.ask(BEAM)
  const answer = request && (await by.secrets.answer(BEAM, PHONE, request))
  if (!answer || typeof answer === 'string') throw new Error('It has the link.')
  await joiner.secrets.welcomed(BEAM, PHONE, LAPTOP, answer, false)
}

/** Whether one that has what the server was ever given opens what a device seals now. */
async function isReadByServer(writer: OwnDevice): Promise<boolean> {
  const sealed = await seals(writer)
  for (const deposit of given) {
    const server = new Secrets(
      { read: async () => null, write: async () => {}, remove: async () => {} },
      {
        read: async () => deposit,
        write: async () => {},
      },
    )
    await server.enter(BEAM, null)
    await server.withdraw(BEAM)
    if ((await server.open(BEAM, 'share_clipboard', sealed)).is === 'open') return true
  }
  return false
}

beforeEach(() => {
  accounts = new Accounts()
  given = []
  for (const name of ['ada', 'bob']) accounts.all.set(name, { password: 'the old one', vault: null })
})

describe('a beam that was saved before its owner had a vault', () => {
  it('e18 gets new keys from the device that saved it, once that one is in the vault', async () => {
    const laptop = await maker()
    expect(await isReadByServer(laptop)).toBe(true)
    await makesVault(await device())
    await logsIn(laptop)
    expect(await deposits(laptop)).toBe('into-vaults')
    expect([await isReadByServer(laptop), given.length]).toEqual([false, 1])
    expect(await laptop.vault.howKept()).toEqual({ [BEAM]: 'sealed-since' })
  })

  it.each(['the link', 'the deposit'])(
    'e18 gets new keys from a device of its owner that came by %s',
    async (way) => {
      const laptop = await maker()
      const phone = await device('ada', way === 'the link' ? await linkOf(laptop) : null)
      if (way === 'the link') await joins(phone, laptop)
      else await phone.secrets.withdraw(BEAM)
      await makesVault(phone)
      await phone.vault.ownBeams([BEAM])
      await phone.secrets.rekeySaved(BEAM)
      expect([accounts.beam.version, await isReadByServer(phone)]).toEqual([1, false])
      // The other device comes back with the keys of before.
      await logsIn(laptop)
      expect(await deposits(laptop)).toBe('into-vaults')
      const tablet = await device()
      await tablet.secrets.withdraw(BEAM)
      for (const own of [laptop, phone, tablet]) expect(await isReadByServer(own)).toBe(false)
      expect(given).toHaveLength(1)
    },
  )

  it.each(['at once', 'one after the other fails'])(
    'e18 gets keys that all devices of its owner have, where two of them replace those of before %s',
    async (when) => {
      const laptop = await maker()
      const phone = await device()
      await phone.secrets.withdraw(BEAM)
      await makesVault(phone)
      await logsIn(laptop)
      for (const own of [laptop, phone]) await own.vault.ownBeams([BEAM])
      const { writeKeys } = laptop.vault.server
      if (when === 'at once')
        await Promise.all([laptop, phone].map(({ secrets }) => secrets.rekeySaved(BEAM)))
      else {
        const fails = async () => Promise.reject(new Error('no room'))
        Object.assign(laptop.vault.server, { writeKeys: fails })
        expect(await laptop.secrets.rekeySaved(BEAM)).toBe('made')
        await phone.secrets.rekeySaved(BEAM)
        Object.assign(laptop.vault.server, { writeKeys })
      }
      const sealed = await Promise.all([laptop, phone].map(seals))
      for (const own of [laptop, phone]) expect(await deposits(own)).toBe('into-vaults')
      const tablet = await device()
      await tablet.secrets.withdraw(BEAM)
      for (const text of sealed)
        expect((await tablet.secrets.open(BEAM, 'share_clipboard', text)).is).toBe('open')
      const [one, other] = await Promise.all([laptop, phone].map(seals))
      expect(one?.slice(0, 17)).toBe(other?.slice(0, 17))
    },
  )

  it.each(['has kept what it was about to do', 'could not keep even that'])(
    'e18 gets new keys also where the page that deposited those of before was left without an answer, and %s',
    async (which) => {
      const kept = keptKeys()
      const vault = pageVault(accounts.as('ada'))
      const lost = async (...keys: Parameters<Deposits['write']>) => {
        await bank.write(...keys)
        throw new Error('no answer')
      }
      const before = new Secrets({ ...kept }, { ...bank, write: lost }, vault)
      await vault.enterVault('ada', false)
      await before.make(BEAM)
      if (which === 'could not keep even that') Object.assign(before.kept, { write: async () => {} })
      await before.stored(BEAM, true)
      await expect(before.deposit(BEAM)).rejects.toThrow('no answer')
      // A server that shows the deposit no more still has it.
      const read = which === 'could not keep even that' ? bank.read : async () => null
      const laptop = { vault, secrets: new Secrets(kept, { ...bank, read }, vault) }
      await makesVault(laptop)
      await laptop.secrets.enter(BEAM, null)
      await laptop.secrets.stored(BEAM, true)
      expect(await deposits(laptop)).toBe('into-vaults')
      expect([given.length, await isReadByServer(laptop)]).toEqual([1, false])
      expect(await laptop.vault.howKept()).toEqual({ [BEAM]: 'sealed-since' })
    },
  )

  it('e18 tells whoever is handed the new keys that they are for vaults, before the server has them', async () => {
    const laptop = await maker()
    const guest = await device('bob')
    await guest.secrets.withdraw(BEAM)
    const introduce = (from: OwnDevice, me: DeviceId, to: DeviceId) =>
      from.secrets.introduce(BEAM, me, to, NAMING)
    await laptop.secrets.introduced(BEAM, PHONE, LAPTOP, await introduce(guest, PHONE, LAPTOP))
    await guest.secrets.introduced(BEAM, LAPTOP, PHONE, await introduce(laptop, LAPTOP, PHONE))
    await makesVault(laptop)
    await laptop.secrets.rekey(BEAM, [])
    const keys = await laptop.secrets.handTo(BEAM, PHONE, LAPTOP)
    if (!keys) throw new Error('It knows that device.')
    expect(await guest.secrets.handed(BEAM, LAPTOP, PHONE, keys, [])).not.toBeNull()
    expect(await deposits(guest)).toBe('nowhere')
    expect([given.length, await isReadByServer(laptop)]).toEqual([1, false])
  })
})

/** The server shows a device none of the keys that lie in vaults, nor whose they are. */
function hidesKeysFrom({ vault: { server } }: Awaited<ReturnType<typeof device>>): void {
  const { readKeys } = server
  server.readKeys = async (beam) => ({ ...(await readKeys(beam)), keys: null, people: [] })
}

describe('a beam whose keys are in the vault of its owner', () => {
  async function vaulted() {
    const laptop = await device()
    await makesVault(laptop)
    await laptop.secrets.make(BEAM)
    await laptop.secrets.stored(BEAM, true)
    expect(await deposits(laptop)).toBe('into-vaults')
    return laptop
  }

  async function letsBobOpenIt(laptop: OwnDevice): Promise<void> {
    await makesVault(await device('bob'))
    const [bob] = await laptop.vault.peopleOf(BEAM)
    await laptop.vault.trust(BEAM, 'bob', bob?.fingerprint ?? '')
    await laptop.secrets.depositSaved(BEAM)
  }

  it('e18 has the same link on every device of the owner', async () => {
    const laptop = await vaulted()
    const phone = await device()
    await phone.secrets.withdraw(BEAM)
    expect(await linkOf(phone)).toBe(await linkOf(laptop))
  })

  it('e18 is opened from the list of its owner also where an earlier page has waited with a link of before', async () => {
    const laptop = await vaulted()
    const [kept, old] = [keptKeys(), await linkOf(laptop)]
    await device('ada', old, kept)
    await laptop.secrets.rekey(BEAM, [])
    expect(await deposits(laptop)).toBe('into-vaults')
    const [later, byLink] = [await device('ada', null, kept), await device('ada', old, kept)]
    expect(await later.secrets.withdraw(BEAM)).toMatchObject({ isKeyed: false })
    for (const own of [later, byLink]) await own.vault.ownBeams([BEAM])
    // A page that was opened by a link takes only what is of that link.
    expect(await byLink.secrets.withdraw(BEAM)).toMatchObject({ isKeyed: false })
    expect(await later.secrets.withdraw(BEAM)).toMatchObject({ isKeyed: true })
    expect(await linkOf(later)).toBe(await linkOf(laptop))
  })

  it('e18 is sealed with the new key by an older device of its owner, which does not bring the old one back', async () => {
    const laptop = await vaulted()
    const phone = await device()
    await phone.secrets.rekeySaved(BEAM)
    expect(await deposits(laptop)).toBe('into-vaults')
    const [tablet, sealed] = [await device(), await seals(phone)]
    await tablet.secrets.withdraw(BEAM)
    for (const own of [laptop, tablet]) {
      expect((await own.secrets.open(BEAM, 'share_clipboard', sealed)).is).toBe('open')
      expect((await seals(own)).slice(0, 17)).toBe(sealed.slice(0, 17))
    }
  })

  it('e18 keeps the keys of two devices that have written at the same time', async () => {
    const laptop = await vaulted()
    const phone = await device()
    await phone.secrets.withdraw(BEAM)
    for (const own of [laptop, phone]) await own.secrets.rekey(BEAM, [])
    const sealed = await Promise.all([laptop, phone].map(seals))
    await Promise.all([laptop, phone].map(({ secrets }) => secrets.deposit(BEAM)))
    const tablet = await device()
    await tablet.secrets.withdraw(BEAM)
    for (const text of sealed)
      expect((await tablet.secrets.open(BEAM, 'share_clipboard', text)).is).toBe('open')
  })

  it.each(['that has its keys', 'on which nobody has opened it'])(
    'e18 gives its new keys to nobody whose share its owner has ended on a device %s, whatever the server lists and shows again',
    async (which) => {
      const laptop = await vaulted()
      await letsBobOpenIt(laptop)
      const before = accounts.beam
      expect(before.keys.map(({ username }) => username)).toEqual(['ada', 'bob'])
      const kept = which === 'that has its keys' ? laptop.secrets.kept : keptKeys()
      await (await device('ada', null, kept)).secrets.distrust(BEAM, 'bob')
      // A later page there, which has heard nothing of it but what is kept.
      const later = await device('ada', null, kept)
      for (const shown of [before, accounts.beam]) {
        accounts.beam = shown
        await later.secrets.rekeySaved(BEAM)
        expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
      }
    },
  )

  it('e18 gives its new keys to nobody whose share has ended while the server hid them, also from a later page', async () => {
    const laptop = await vaulted()
    await letsBobOpenIt(laptop)
    hidesKeysFrom(laptop)
    await laptop.secrets.distrust(BEAM, 'bob')
    const later = await device('ada', null, laptop.secrets.kept)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada', 'bob'])
    await later.secrets.rekeySaved(BEAM)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
  })

  it('e18 knows also in a browser that never had its keys that a share ended while the server hid them', async () => {
    const laptop = await vaulted()
    await letsBobOpenIt(laptop)
    const kept = keptKeys()
    const phone = await device('ada', null, kept)
    await phone.vault.ownBeams([BEAM])
    hidesKeysFrom(phone)
    await phone.secrets.distrust(BEAM, 'bob')
    await expect(phone.secrets.rekeySaved(BEAM)).rejects.toThrow('does not show the keys')
    const later = await device('ada', null, kept)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada', 'bob'])
    await later.secrets.rekeySaved(BEAM)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
  })

  it.each([
    ['nothing of it', [BEAM]],
    ['not even that it is there', []],
  ])(
    'e18 is to get new keys also where its share ended in a browser to which the server shows %s',
    async (_, own) => {
      const laptop = await vaulted()
      await letsBobOpenIt(laptop)
      const phone = await device()
      await phone.vault.ownBeams(own)
      const { readKeys } = phone.vault.server
      phone.vault.server.readKeys = async () => ({ version: 0, keys: null, people: [] })
      await phone.secrets.distrust(BEAM, 'bob')
      expect(await phone.secrets.rekeySaved(BEAM)).toBe('hidden')
      phone.vault.server.readKeys = readKeys
      expect(await phone.secrets.rekeySaved(BEAM)).toBe('done')
      expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
    },
  )

  describe('that the server says has ended, and shows again with what lay there before', () => {
    const AGAIN = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
    const showsAgain = async ({ secrets, vault }: OwnDevice, beam: BeamId) => {
      await secrets.forget(BEAM)
      await vault.ownBeams([beam])
      await secrets.enter(beam, null)
    }

    it.each([
      ['that has changed it, under the same id', BEAM],
      ['that has changed it, under another id', AGAIN],
      ['that has only taken the new one', BEAM],
    ])('e18 gets no old key to seal with on a device %s', async (which, beam) => {
      const laptop = await vaulted()
      await letsBobOpenIt(laptop)
      const before = accounts.beam
      await laptop.secrets.distrust(BEAM, 'bob')
      await laptop.secrets.rekeySaved(BEAM)
      const [newest, sealed] = [accounts.beam, await seals(laptop)]
      const own = which.includes('taken') ? await device() : laptop
      await own.secrets.withdraw(BEAM)
      await showsAgain(own, beam)
      accounts.beam = before
      expect(await own.secrets.withdraw(beam)).toMatchObject({ isKeyed: false, isInVaults: true })
      accounts.beam = newest
      expect(await own.secrets.withdraw(beam)).toMatchObject({ isKeyed: true })
      expect((await own.secrets.open(beam, 'share_clipboard', sealed)).is).toBe('open')
    })

    it.each([
      ['the same id', BEAM],
      ['another id', AGAIN],
    ])('e18 gives its next keys to nobody whose share has ended, under %s', async (_, beam) => {
      const laptop = await vaulted()
      await letsBobOpenIt(laptop)
      const before = accounts.beam
      await laptop.secrets.distrust(BEAM, 'bob')
      await showsAgain(laptop, beam)
      accounts.beam = before
      expect(await laptop.secrets.rekeySaved(beam)).toBe('done')
      expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
    })

    it('e18 gives its next keys to nobody whose share has ended while the server hid what lay there', async () => {
      const laptop = await vaulted()
      await letsBobOpenIt(laptop)
      const phone = await device()
      await phone.vault.ownBeams([BEAM])
      const { readKeys } = phone.vault.server
      hidesKeysFrom(phone)
      await phone.secrets.distrust(BEAM, 'bob')
      await showsAgain(phone, BEAM)
      phone.vault.server.readKeys = readKeys
      expect(await phone.secrets.rekeySaved(BEAM)).toBe('done')
      expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada'])
    })

    it('e18 is sealed again by a device that still has its newest keys, where the server shows older ones', async () => {
      const laptop = await vaulted()
      const before = accounts.beam
      await laptop.secrets.rekeySaved(BEAM)
      accounts.beam = { ...before, version: accounts.beam.version }
      expect(await deposits(laptop)).toBe('into-vaults')
      const phone = await device()
      await phone.secrets.withdraw(BEAM)
      expect((await phone.secrets.open(BEAM, 'share_clipboard', await seals(laptop))).is).toBe('open')
    })
  })

  it('e18 still gives its keys to a person whose share did not end, because the server did not take what was sealed', async () => {
    const laptop = await vaulted()
    await letsBobOpenIt(laptop)
    vi.spyOn(laptop.vault.server, 'writeKeys').mockRejectedValueOnce(new Error('no answer'))
    await expect(laptop.secrets.distrust(BEAM, 'bob')).rejects.toThrow('no answer')
    await laptop.secrets.rekeySaved(BEAM)
    expect(accounts.beam.keys.map(({ username }) => username)).toEqual(['ada', 'bob'])
  })

  it('e18 gives the server no key, whatever it says of who the owner is', async () => {
    const laptop = await vaulted()
    const phone = await device()
    await phone.secrets.withdraw(BEAM)
    Object.assign(laptop.vault.server, { readKeys: async () => ({ version: 0, keys: null, people: [] }) })
    Object.assign(phone.vault.server, { readKeys: async () => ({ version: 0, keys: null, people: [] }) })
    for (const own of [laptop, phone]) {
      await own.secrets.rekey(BEAM, [])
      expect((await own.secrets.deposit(BEAM)).went).toBe('not-yet')
      await own.secrets.rekeySaved(BEAM)
    }
    expect(given).toEqual([])
  })

  it('e18 does not count as changed where the server says that it is of another person, until its new keys lie there', async () => {
    const laptop = await vaulted()
    const { server } = laptop.vault
    const { readKeys } = server
    server.readKeys = async () => ({ version: 0, keys: null, people: [] })
    expect(await laptop.secrets.rekeySaved(BEAM)).toBe('made')
    expect((await laptop.secrets.depositSaved(BEAM)).went).toBe('not-yet')
    server.readKeys = readKeys
    expect((await laptop.secrets.depositSaved(BEAM)).went).toBe('into-vaults')
    const phone = await device()
    await phone.secrets.withdraw(BEAM)
    expect((await phone.secrets.open(BEAM, 'share_clipboard', await seals(laptop))).is).toBe('open')
  })

  it.each(['handed to its vault', 'of the deposit of before'])(
    'e18 keeps its keys on the device of an admin who takes a share away elsewhere, whose own are those %s',
    async (which) => {
      const laptop = which === 'of the deposit of before' ? await maker() : await vaulted()
      const admin = await device('bob')
      if (which === 'of the deposit of before') {
        await admin.secrets.withdraw(BEAM)
        await makesVault(laptop)
        expect(await deposits(laptop)).toBe('into-vaults')
        // The deposit ends with that.
        given = []
      } else {
        await makesVault(admin)
        const bob = (await laptop.vault.peopleOf(BEAM)).find(({ username }) => username === 'bob')
        await laptop.vault.trust(BEAM, 'bob', bob?.fingerprint ?? '')
        await laptop.secrets.depositSaved(BEAM)
        await admin.secrets.withdraw(BEAM)
      }
      const before = (await seals(admin)).slice(0, 17)
      expect(await admin.secrets.rekeySaved(BEAM)).toBe('hidden')
      expect((await seals(admin)).slice(0, 17)).toBe(before)
      expect((await laptop.secrets.open(BEAM, 'share_clipboard', await seals(admin))).is).toBe('open')
    },
  )

  describe('for another of which the server shows what was sealed for this one', () => {
    const OTHER = '1b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId
    const shows = async ({ vault }: OwnDevice) => {
      const { keys = null } = accounts.beam.keys.find(({ username }) => username === 'ada') ?? {}
      vault.server.listKeys = async () => [BEAM, OTHER].map((beam_id) => ({ beam_id, keys }))
      await vault.ownBeams([BEAM, OTHER])
    }

    it('e18 says so of neither on a device that knows nothing of them', async () => {
      await vaulted()
      const phone = await device()
      await shows(phone)
      expect(await phone.vault.howKept()).toEqual({ [BEAM]: 'not-in-vault', [OTHER]: 'not-in-vault' })
    })

    it('e18 says that it is in the vault on a device that knows it, and not so of the other', async () => {
      const laptop = await vaulted()
      await shows(laptop)
      const right = { [BEAM]: 'sealed', [OTHER]: 'not-in-vault' }
      expect(await laptop.vault.howKept()).toEqual(right)
      await laptop.secrets.make(OTHER)
      expect(await laptop.vault.howKept()).toEqual(right)
    })

    it('e18 does not say so of the other where the server hides this one, and the device has keys of that', async () => {
      const laptop = await vaulted()
      await shows(laptop)
      await laptop.secrets.make(OTHER)
      const { listKeys } = laptop.vault.server
      laptop.vault.server.listKeys = async () => (await listKeys()).slice(1)
      expect(await laptop.vault.howKept()).toEqual({ [OTHER]: 'not-in-vault' })
    })

    it('e18 says so of neither where the device has taken the one for the other', async () => {
      const laptop = await vaulted()
      await shows(laptop)
      await laptop.secrets.enter(OTHER, null)
      await laptop.secrets.withdraw(OTHER)
      expect(await laptop.vault.howKept()).toEqual({ [BEAM]: 'not-in-vault', [OTHER]: 'not-in-vault' })
    })
  })

  it('e18 is not sealed with keys that lie there for another beam, nor are its own added to those', async () => {
    const party = await vaulted()
    await party.secrets.rekeySaved(BEAM)
    const { keys } = accounts.beam.keys[0] ?? {}
    const entry = accounts.beam
    const cabin = await device()
    await cabin.secrets.make(BEAM)
    await cabin.secrets.stored(BEAM, true)
    const before = (await seals(cabin)).slice(0, 17)
    expect(await deposits(cabin)).toBe('not-yet')
    expect([(await seals(cabin)).slice(0, 17), accounts.beam]).toEqual([before, entry])
    const phone = await device('ada', await linkOf(cabin))
    expect(await phone.secrets.withdraw(BEAM)).toMatchObject({ isKeyed: false })
    expect(keys).toBeDefined()
  })

  it('e18 goes to nobody as it is from a device whose worker does not know yet who is logged in', async () => {
    const laptop = await vaulted()
    const fresh = new Secrets(laptop.secrets.kept, bank, pageVault(accounts.as('ada')))
    await fresh.enter(BEAM, null)
    await expect(fresh.deposit(BEAM)).rejects.toThrow('It is not known')
    expect(given).toEqual([])
  })
})

it('e9 the keys of a person without a vault are deposited as they are', async () => {
  const laptop = await maker()
  const deposit = given[0]
  expect(deposit && (await isReadByServer(laptop))).toBe(true)
  expect(await deposits(laptop)).toBe('to-server')
  expect(deposit && isSameKeys(deposit, given.at(-1) ?? deposit)).toBe(true)
})

it('e18 a person takes what is handed to them also at a device where the owner of the beam has saved it', async () => {
  const kept = keptKeys()
  const laptop = await device('ada', null, kept)
  await makesVault(laptop)
  await makesVault(await device('bob'))
  await laptop.secrets.make(BEAM)
  await laptop.secrets.stored(BEAM, true)
  expect(await deposits(laptop)).toBe('into-vaults')
  const [bob] = await laptop.vault.peopleOf(BEAM)
  await laptop.vault.trust(BEAM, 'bob', bob?.fingerprint ?? '')
  await laptop.secrets.depositSaved(BEAM)
  // On another device she changes them.
  const phone = await device()
  await phone.secrets.rekeySaved(BEAM)
  const sealed = await seals(phone)
  const guest = await device('bob', null, kept)
  await guest.secrets.withdraw(BEAM)
  expect((await guest.secrets.open(BEAM, 'share_clipboard', sealed)).is).toBe('open')
})
