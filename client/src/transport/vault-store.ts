/**
 * Keeps the opened vault on this device while its person is logged in, and before that what opens it, sealed under the device key as
 * the keys of beams are; and of which kind the password of the login was.
 */
import { openBox, sealBox } from '../crypto/box'
import { type Bytes, fromBase64Url, toBase64Url } from '../crypto/bytes'
import type { KeyStore } from './key-store'
import { Table } from './table'

/** Where an opened vault outlives the page, and until it is open, what opens it. */
export interface KeptVaults {
  /** Returns the secret of an opened vault. @param username null for whoever's it is */
  read(username: string | null): Promise<Bytes | null>
  write(username: string, secret: Bytes): Promise<void>
  /** Removes the secret. */
  remove(): Promise<void>
  /** Returns the part of a password that opens the vault of whoever has logged in with it. */
  readOpener(): Promise<Bytes | null>
  writeOpener(opener: Bytes): Promise<void>
  removeOpener(): Promise<void>
  /** Returns whether whoever is logged in has sent only a part of a password. @throws when the browser refuses to tell */
  isStretched(): Promise<boolean>
  writeStretched(isStretched: boolean): Promise<void>
  /** Removes all of it. @throws when the browser refuses it: some may still be there */
  clear(): Promise<void>
}

const OPENER = 'beam-e2e/1 vault-opener'

/** An opened vault, with the username of its account, or what opens that of whoever is logged in. */
interface Kept {
  readonly username: string | null
  readonly sealed: Bytes
}

export class VaultStore implements KeptVaults {
  readonly #table = new Table<'own' | 'opener', Kept>('heliograph-vault', 'vaults')
  readonly #login = new Table<'stretched', true>('heliograph-login', 'logins')

  constructor(readonly device: Pick<KeyStore, 'deviceKey'>) {}

  async read(username: string | null): Promise<Bytes | null> {
    const kept = await this.#table.read('own')
    if (!kept || (username !== null && kept.username !== username)) return null
    return this.#unsealed(kept, about(kept.username ?? ''))
  }

  async write(username: string, secret: Bytes): Promise<void> {
    await this.#write('own', username, secret, about(username))
  }

  async remove(): Promise<void> {
    await this.#table.remove('own').catch(() => {})
  }

  async readOpener(): Promise<Bytes | null> {
    const kept = await this.#table.read('opener')
    return kept && this.#unsealed(kept, OPENER)
  }

  async writeOpener(opener: Bytes): Promise<void> {
    await this.#write('opener', null, opener, OPENER)
  }

  async removeOpener(): Promise<void> {
    await this.#table.remove('opener').catch(() => {})
  }

  async isStretched(): Promise<boolean> {
    return (await this.#login.find('stretched')) !== null
  }

  /** Where the browser keeps nothing, it is known as long as the page. */
  async writeStretched(isStretched: boolean): Promise<void> {
    const written = isStretched ? this.#login.write('stretched', true) : this.#login.remove('stretched')
    await written.catch(() => {})
  }

  async clear(): Promise<void> {
    await Promise.all([
      this.#table.remove('own'),
      this.#table.remove('opener'),
      this.#login.remove('stretched'),
    ])
  }

  /** Where the browser keeps nothing, the vault is open as long as the page. */
  async #write(key: 'own' | 'opener', username: string | null, secret: Bytes, use: string): Promise<void> {
    try {
      const sealed = await sealBox(await this.device.deviceKey(), toBase64Url(secret), use)
      await this.#table.write(key, { username, sealed })
    } catch {}
  }

  async #unsealed({ sealed }: Kept, use: string): Promise<Bytes | null> {
    const text = await openBox(await this.device.deviceKey(), sealed, use)
    return text === null ? null : fromBase64Url(text)
  }
}

function about(username: string): string {
  return `beam-e2e/1 vault-of-${username}`
}
