/** A stage for tests of vaults: accounts as the server has them, and what browsers keep. */
import type { Bytes } from '../crypto/bytes'
import type { BeamId, BeamVaultChange, Vault as StoredVault, VaultChange } from '../protocol/bindings'
import { Refused, type VaultServer } from './vault-calls'
import type { KeptVaults } from './vault-keeper'

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
