/** Devices in a saved beam whose owner has a vault, or is about to. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Deposit } from '../crypto/deposit'
import { Secrets } from '../transport/secrets'
import { Accounts, type PageVault, pageVault } from '../transport/vault-stage'
import { ADA, BEAM, BOB, EVE, ITEM, Page, Server } from './sealed-beam-stage'

const NOWHERE = { read: async () => null, write: async () => {}, remove: async () => {} }

let server: Server
let accounts: Accounts
/** What the server was given as it is. */
let given: Deposit[]
/** Ada's laptop, and Bob, who came by its link. */
let laptop: OwnPage
let bob: Page

class OwnPage extends Page {
  constructor(
    readonly vault: PageVault,
    secrets: Secrets,
    invite: string | null,
  ) {
    super(server, ADA, invite, secrets)
  }

  static async makes(): Promise<OwnPage> {
    const { vault, secrets } = newDevice()
    await entersVault(vault)
    const { invite } = await secrets.make(BEAM)
    return new OwnPage(vault, secrets, invite)
  }
}

function newDevice(): { vault: PageVault; secrets: Secrets } {
  const vault = pageVault(accounts.as('ada'))
  const bank = {
    read: async () => given.at(-1) ?? null,
    write: async (_: unknown, keys: Deposit) => void given.push(keys),
  }
  return { vault, secrets: new Secrets(NOWHERE, bank, vault) }
}

async function makesVault(vault: PageVault): Promise<void> {
  await vault.beginVault()
  expect(await vault.createVault('the old one', 'correct horse')).toBe('done')
}

async function logsIn(vault: PageVault): Promise<void> {
  const stretch = accounts.all.get('ada')?.vault?.stretch
  if (stretch) await vault.prove('correct horse', stretch).then(() => vault.keepOpener())
  await entersVault(vault)
}

async function entersVault(vault: PageVault): Promise<void> {
  await vault.enterVault('ada', false)
  await vault.ownBeams([])
}

/** A device of Ada's that is not in the beam, with its vault. */
async function elsewhere(): Promise<ReturnType<typeof newDevice>> {
  const device = newDevice()
  await entersVault(device.vault)
  return device
}

const isWritten = (version: number) =>
  vi.waitFor(() => expect(accounts.beam.version).toBe(version), { timeout: 5_000 })

/** Bob reads what Ada writes, and the server does not. */
async function bobReadsAlone(): Promise<void> {
  await vi.waitFor(() => expect(bob.invite).toBe(laptop.invite), { timeout: 5_000 })
  laptop.channel.share(ITEM, 'oat milk', 'text')
  await vi.waitFor(() => expect(server.of('share')).toHaveLength(1))
  expect((await bob.opens(server.item())).message).toBe('oat milk')
  const reader = new Secrets(NOWHERE, { read: async () => given.at(-1) ?? null, write: async () => {} })
  await reader.enter(BEAM, null)
  await reader.withdraw(BEAM)
  const { message } = server.item()
  expect((await reader.open(BEAM, 'share_clipboard', String(message))).is).toBe('unknown')
}

beforeEach(async () => {
  server = new Server()
  accounts = new Accounts()
  accounts.all.set('ada', { password: 'the old one', vault: null })
  accounts.tellOfKeys = () => {
    for (const { channel } of server.pages.values()) channel.keysChanged()
  }
  given = []
  laptop = await OwnPage.makes()
  await laptop.is('sealed')
  bob = new Page(server, BOB, laptop.invite)
  await bob.is('waiting')
  server.lists(ADA, BOB)
  await bob.is('sealed')
})

afterEach(() => {
  for (const page of server.pages.values()) page.channel.end()
})

describe('a beam that was saved before its owner had a vault', () => {
  beforeEach(async () => {
    void laptop.channel.saved(true)
    await vi.waitFor(() => expect(given).toHaveLength(1))
  })

  it('e18_gets_new_keys_in_the_vault_when_it_is_made_and_whoever_is_in_the_beam_has_them', async () => {
    await makesVault(laptop.vault)
    void laptop.channel.rekey()
    await isWritten(1)
    await bobReadsAlone()
    expect(given).toHaveLength(1)
  })

  it('e18_gets_new_keys_when_its_owner_comes_back_to_it_with_the_vault', async () => {
    await makesVault((await elsewhere()).vault)
    await logsIn(laptop.vault)
    void laptop.channel.saved(false)
    await isWritten(1)
    await bobReadsAlone()
    expect(given).toHaveLength(1)
  })
})

it('s38_new_keys_that_another_device_of_the_owner_has_made_come_to_everybody_in_the_beam', async () => {
  await makesVault(laptop.vault)
  void laptop.channel.saved(true)
  await isWritten(1)
  const before = laptop.invite
  const phone = newDevice()
  await logsIn(phone.vault)
  await phone.secrets.rekeySaved(BEAM)
  await vi.waitFor(() => expect(laptop.invite).not.toBe(before), { timeout: 5_000 })
  await bobReadsAlone()
  expect(accounts.beam.version).toBe(2)
})

it('e18_a_device_of_the_owner_that_came_by_the_link_looks_into_the_vault_when_it_joins', async () => {
  const phone = newDevice()
  await entersVault(phone.vault)
  await makesVault(phone.vault)
  await phone.secrets.enter(BEAM, laptop.invite)
  const request = await phone.secrets.ask(BEAM)
  const welcome = request && (await laptop.secrets.answer(BEAM, EVE, request))
  if (!welcome || typeof welcome === 'string') throw new Error('It has the link.')
  await phone.secrets.welcomed(BEAM, EVE, ADA, welcome, false)
  await phone.secrets.stored(BEAM, true)
  await phone.secrets.deposit(BEAM)
  // Somebody may not read it any more.
  await phone.secrets.rekeySaved(BEAM)
  const before = laptop.invite
  await logsIn(laptop.vault)
  void laptop.channel.saved(false)
  await vi.waitFor(() => expect(laptop.invite).not.toBe(before), { timeout: 5_000 })
  await bobReadsAlone()
  expect(await laptop.vault.isFor(BEAM, false)).toBe(true)
})

it('e18_a_beam_that_is_saved_with_a_vault_keeps_its_link', async () => {
  await makesVault(laptop.vault)
  const before = laptop.invite
  // The server tells everybody before it answers.
  void laptop.channel.saved(false)
  void laptop.channel.saved(true)
  await isWritten(1)
  expect([laptop.invite, given, await laptop.vault.howKept()]).toEqual([before, [], { [BEAM]: 'sealed' }])
})

describe('a device without keys that comes to a saved beam in which nothing is shared and nobody is', () => {
  let phone: ReturnType<typeof newDevice>
  let page: Page
  /** The page has asked for the keys once, and has heard what there is. */
  const looksOnce = async () => {
    server = new Server()
    page = new Page(server, EVE, null, phone.secrets)
    const withdraw = vi.spyOn(phone.secrets, 'withdraw')
    server.lists(EVE)
    void page.channel.saved(false)
    await vi.waitFor(() => expect(withdraw.mock.settledResults[0]?.type).not.toBe('incomplete'))
  }

  beforeEach(async () => {
    await makesVault(laptop.vault)
    void laptop.channel.saved(true)
    await isWritten(1)
    phone = newDevice()
  })
  afterEach(() => page.channel.end())

  it('e18_does_not_take_it_for_clear_as_long_as_it_is_not_known_whether_there_is_a_vault', async () => {
    vi.spyOn(phone.vault.server, 'read').mockRejectedValueOnce(new Error('no answer'))
    await entersVault(phone.vault)
    await looksOnce()
    await logsIn(phone.vault)
    await page.is('sealed')
    expect(page.states).not.toContain('clear')
  })

  it('e18_does_not_take_it_for_clear_while_the_vault_is_locked_and_opens_it_with_the_vault', async () => {
    await entersVault(phone.vault)
    await looksOnce()
    await page.is('locked')
    await logsIn(phone.vault)
    void page.channel.saved(false)
    await page.is('sealed')
    expect(page.states).not.toContain('clear')
  })

  it('e18_does_not_take_it_for_clear_as_long_as_it_is_not_known_whether_anybody_is_logged_in', async () => {
    await logsIn(phone.vault)
    server = new Server()
    page = new Page(server, EVE, null, phone.secrets)
    page.isLoggedIn = vi.fn(async () => true).mockRejectedValueOnce(new Error('no answer'))
    server.lists(EVE)
    void page.channel.saved(false)
    await page.is('sealed')
    expect(page.states).not.toContain('clear')
  })
})
