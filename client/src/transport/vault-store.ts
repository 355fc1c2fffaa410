/** Keeps the opened vault on this device while its person is logged in, sealed under the device key as the keys of beams are. */
import { openBox, sealBox } from '../crypto/box'
import { type Bytes, fromBase64Url, toBase64Url } from '../crypto/bytes'
import type { KeyStore } from './key-store'
import { Table } from './table'
import type { KeptVaults } from './vault-keeper'

const OWN = 'own'

interface Kept {
  /** Whose vault it is. */
  readonly username: string
  readonly sealed: Bytes
}

export class VaultStore implements KeptVaults {
  readonly #table = new Table<typeof OWN, Kept>('heliograph-vault', 'vaults')

  constructor(readonly device: Pick<KeyStore, 'deviceKey'>) {}

  async read(username: string): Promise<Bytes | null> {
    const kept = await this.#table.read(OWN)
    if (kept?.username !== username) return null
    const text = await openBox(await this.device.deviceKey(), kept.sealed, about(username))
    return text === null ? null : fromBase64Url(text)
  }

  /** Where the browser keeps nothing, the vault is open as long as the page. */
  async write(username: string, secret: Bytes): Promise<void> {
    try {
      const sealed = await sealBox(await this.device.deviceKey(), toBase64Url(secret), about(username))
      await this.#table.write(OWN, { username, sealed })
    } catch {}
  }

  async clear(): Promise<void> {
    await this.#table.remove(OWN)
  }
}

function about(username: string): string {
  return `beam-e2e/1 vault-of-${username}`
}
