/** A stage for tests of vaults: accounts as the server has them, their devices, and what browsers keep. */
import { expect } from 'vitest'
import type { Bytes } from '../crypto/bytes'
import type { OwnState } from '../crypto/vault'
import type { BeamId, BeamVaultChange, Vault as StoredVault, VaultChange } from '../protocol/bindings'
import type { KeptKeys } from './entered-beams'
import { KeysInVault } from './keys-in-vault'
import type { KnownPlace } from './own-vault'
import { Refused, type VaultServer } from './vault-calls'
import { VaultChanges } from './vault-changes'
import { VaultKeeper } from './vault-keeper'
import type { KeptVaults } from './vault-store'

export const BEAM = '0b5a1c2e-9c1d-4f6a-8b3e-2d4c6e8f0a1b' as BeamId

/** What the real server does, for accounts that share one beam, which is of the first of them. */
export class Accounts {
  readonly all = new Map<string, { password: string; vault: StoredVault | null }>()
  beam: BeamVaultChange = { version: 0, keys: [] }
  /** Tells the devices in the beam that its keys were written (S38). */
  tellOfKeys: () => void = () => {}

  as(me: string): VaultServer {
    const own = () => this.all.get(me) ?? { password: '', vault: null }
    return {
      read: async () => own().vault,
      write: async ({ password, new_password, vault }: VaultChange) => {
        if (password !== own().password) throw new Refused(400)
        this.all.set(me, { password: new_password, vault })
      },
      readKeys: async () => ({
        version: this.beam.version,
        keys: this.beam.keys.find(({ username }) => username === me)?.keys ?? null,
        people: me === 'ada' ? this.people() : [],
      }),
      writeKeys: async (_, change) => {
        if (change.version !== this.beam.version + 1) throw new Refused(409)
        this.beam = change
        this.tellOfKeys()
      },
      listKeys: async () => [
        { beam_id: BEAM, keys: this.beam.keys.find(({ username }) => username === me)?.keys ?? null },
      ],
    }
  }

  people() {
    return [...this.all].map(([username, { vault }]) => ({
      username,
      public_key: vault?.public_key ?? null,
      has_keys: this.beam.keys.some((person) => person.username === username),
    }))
  }
}

export function keptHere(): KeptVaults {
  const kept = new Map<string, Bytes>()
  let opener: Bytes | null = null
  let isStretched = false
  return {
    read: async (username) => (username === null ? [...kept.values()][0] : kept.get(username)) ?? null,
    write: async (username, secret) => {
      kept.clear()
      kept.set(username, secret)
    },
    remove: async () => kept.clear(),
    readOpener: async () => opener,
    writeOpener: async (part) => {
      opener = part
    },
    removeOpener: async () => {
      opener = null
    },
    isStretched: async () => isStretched,
    writeStretched: async (is) => {
      isStretched = is
    },
    clear: async () => {
      kept.clear()
      opener = null
      isStretched = false
    },
  }
}

export const quick = async (password: Uint8Array, { salt }: { salt: Uint8Array }) =>
  new Uint8Array(await crypto.subtle.digest('SHA-256', new Uint8Array([...password, ...salt])))

/** The vault of one page: what is asked of it goes to the part that has it, as in the worker. */
export type PageVault = Omit<VaultKeeper, 'stored'> & VaultChanges & KeysInVault

const NOTHING_KEPT: Pick<KeptKeys, 'read'> = { read: async () => null }

/** @param keys what is kept of beams in this browser */
export function pageVault(server: VaultServer, kept = keptHere(), keys = NOTHING_KEPT): PageVault {
  const keeper = new VaultKeeper(server, kept, quick)
  const parts = [keeper, new VaultChanges(server, keeper, quick), new KeysInVault(server, keeper, keys)]
  return new Proxy({} as PageVault, {
    get: (_, name) => {
      const part = parts.find((one) => name in one)
      const found: unknown = part && Reflect.get(part, name, part)
      return typeof found === 'function' ? found.bind(part) : found
    },
  })
}

export let accounts: Accounts

/** Ada and Bob have accounts, and no vault. It comes before each test. */
export function begins(): void {
  accounts = new Accounts()
  for (const name of ['ada', 'bob']) accounts.all.set(name, { password: 'the old one', vault: null })
}

export const device = (name: string, kept = keptHere()) => pageVault(accounts.as(name), kept)

/** A device on which somebody has set up a vault. */
export async function withVault(name: string): Promise<{ keeper: PageVault; words: string }> {
  const keeper = device(name)
  await keeper.enterVault(name, false)
  const words = await keeper.beginVault()
  expect(await keeper.createVault('the old one', 'correct horse')).toBe('done')
  return { keeper, words: words.join(' ') }
}

/** Logs in on another device. */
export async function logsIn(name: string, password: string) {
  const keeper = device(name)
  const stretch = accounts.all.get(name)?.vault?.stretch
  if (!stretch) throw new Error('There is no vault.')
  const sent = await keeper.prove(password, stretch)
  const isIn = sent === accounts.all.get(name)?.password
  if (isIn) await keeper.keepOpener()
  return { keeper, isIn, state: isIn ? await keeper.enterVault(name, false) : null }
}

/** The password was taken, and the page is left before it has opened the vault. */
export async function leftAtOnce(kept: KeptVaults): Promise<void> {
  const { stretch } = accounts.all.get('ada')?.vault ?? {}
  const page = device('ada', kept)
  if (stretch) await page.prove('correct horse', stretch)
  await page.keepOpener()
}

export const noAnswer = () => Promise.reject(new Error('no answer'))

/** What a device has of the beam. */
export const STATE: OwnState = {
  keys: ['K'],
  current: 'kid',
  invite: 'I',
  hasLetIn: true,
  isDeposited: false,
  isVaulted: true,
  changes: [1, 1],
  devices: {},
  removed: [],
  unverified: [],
  tag: 'tag',
  ends: [],
}

/** What a device knows whose person has saved the beam. */
export const MINE: KnownPlace = { isMine: true, maySend: true, isVaulted: false }

export const writes = (keeper: PageVault, state = STATE, known = MINE) =>
  keeper.write(BEAM, known, async () => ({ is: 'state', state }))

/** Another device of Ada's. */
export const elsewhere = async () => (await logsIn('ada', 'correct horse')).keeper

/** Returns the keys that a device finds. */
export async function keysIn(keeper: PageVault): Promise<readonly string[] | null> {
  await keeper.ownBeams([])
  const found = await keeper.read(BEAM, false)
  if (found?.is === 'own') return found.entry.keys
  return found?.is === 'handed' ? found.keys.keys : null
}

/** The accounts to which keys are sealed. */
export const receivers = () => accounts.beam.keys.map(({ username }) => username)
