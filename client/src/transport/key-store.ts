/** Keeps the keys of beams on this device, so that a later page can open what an earlier one could. */

import { openBox, sealBox } from '../crypto/box'
import { type KeptShared, keptIn } from '../crypto/shared-keys'
import type { BeamId } from '../protocol/bindings'
import { Table } from './table'

interface Kept {
  readonly sealed: Uint8Array<ArrayBuffer>
  /** When it was written last, in milliseconds since the Unix epoch. */
  readonly at: number
}

/** As long as the page remembers the beams that it was in. */
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000
const DEVICE_KEY = 'key'
/** What is sealed bears the beam's id, and a renewal gives the beam another one: it is then sealed anew. */
const about = (beam: BeamId) => `beam-e2e/1 kept ${beam}`

export class KeyStore {
  readonly #deviceKeys = new Table<typeof DEVICE_KEY, CryptoKey>('heliograph-device-key', 'keys')
  readonly #beams = new Table<BeamId, Kept>('heliograph-beam-keys', 'beams')
  #deviceKey: Promise<CryptoKey> | null = null

  /** @param now returns milliseconds since the Unix epoch */
  constructor(readonly now: () => number) {}

  /**
   * Returns null where nothing is kept that this browser could open.
   * @throws when the browser does not tell: what it keeps may be good
   */
  async read(beam: BeamId): Promise<KeptShared | null> {
    const kept = await this.#beams.find(beam)
    if (!kept) return null
    const text = await openBox(await this.deviceKey(), kept.sealed, about(beam))
    return text === null ? null : keptIn(text)
  }

  /** Where the browser keeps nothing, as in some private windows, the keys live as long as the page. */
  async write(beam: BeamId, keys: KeptShared): Promise<void> {
    try {
      const sealed = await sealBox(await this.deviceKey(), JSON.stringify(keys), about(beam))
      await this.#beams.write(beam, { sealed, at: this.now() })
    } catch {}
  }

  /** @throws when the browser refuses it: the keys may still be there */
  async remove(beam: BeamId): Promise<void> {
    await this.#beams.remove(beam)
  }

  /** Removes the keys of beams in which this device has not been for a month. */
  async sweep(): Promise<void> {
    await this.#beams.sweep(({ at }) => this.now() - at > KEPT_MS)
  }

  /**
   * Returns the key under which everything is sealed that is kept on this device. Two tabs that make it at once would seal under two keys, so the one that is there first counts. One that is not stored opens
   * nothing later, so it is never used.
   * @throws when the browser refuses it; the next call asks again
   */
  async deviceKey(): Promise<CryptoKey> {
    this.#deviceKey ??= makeDeviceKey().then((made) => this.#deviceKeys.readOrWrite(DEVICE_KEY, made))
    try {
      return await this.#deviceKey
    } catch (error) {
      this.#deviceKey = null
      throw error
    }
  }
}

/** The browser does not give it out: it seals and opens here, and nowhere else. */
function makeDeviceKey(): Promise<CryptoKey> {
  return crypto.subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}
