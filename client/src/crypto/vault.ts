/**
 * The vault of an account (E17): one secret, of which a key pair follows. The keys of a saved beam are sealed by its owner's pair, to
 * that pair itself and to those of the people who may open the beam (E18): HPKE with the sender's key, so that nobody makes keys in the
 * name of another account, the server included.
 */
import * as v from 'valibot'
import { openBox, sealBox } from './box'
import { type Bytes, fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes'
import { deviceKeys } from './device-keys'
import type { SavedShared } from './saved-keys'
import { type SharedKeys, sharedFields } from './shared-keys'
import { sealedOf } from './state-welcome'
import { publicBytes, suite } from './welcome'

const VAULT_BYTES = 32
/** Digits of each group of a fingerprint, of which each stands for five bytes. */
const GROUP_DIGITS = 5
const GROUPS = 6

/** What a vault is opened with: a part of the password, or what follows of the recovery words. */
export type Opens = 'password' | 'words'

/** Keys of a beam as they are sealed to one account, all base64url. */
export interface SealedKeys {
  readonly from: string
  readonly encapsulated: string
  readonly sealed: string
}

/** What the owner of a saved beam seals of it: all that a welcome tells (E6), so that any two states of it can be compared (E15). */
export interface OwnState extends SharedKeys {
  /** Random, and the same as long as the beam is saved and the vault is this one: the server could show what was sealed for another beam of the same person. */
  readonly tag: string
  /** A random id for each share that the owner has ended, as far as is known: the server could show what lay there before. */
  readonly ends: readonly string[]
}

/** What an owner has sealed to itself. */
export interface OwnEntry extends OwnState {
  /**
   * The public keys of the people to whom the owner has handed the keys: what the server says of who has a share hands nothing to
   * anybody.
   */
  readonly people: readonly string[]
  /** The usernames under which it has handed them to those, in the same order: the server could say that one of them is another one. */
  readonly names: readonly string[]
}

const handedSchema = v.object({ keys: v.array(v.string()), current: v.string(), isDeposited: v.boolean() })
const ownSchema = v.object({
  ...sharedFields,
  tag: v.string(),
  ends: v.optional(v.array(v.string()), []),
  people: v.array(v.string()),
  names: v.optional(v.array(v.string()), []),
})

/** The people who may open a beam, as its owner knows: the username under which each was handed the keys, by the public key. */
export type Trusted = ReadonlyMap<string, string>

/** Returns those whom an owner has named. Of an entry that does not tell a name, none counts. */
export function trustedIn({ people, names }: OwnEntry): Trusted {
  return new Map(people.map((key, at) => [key, names[at] ?? '']))
}

export class Vault {
  private constructor(
    readonly secret: Bytes,
    readonly keys: CryptoKeyPair,
    /** Base64url. */
    readonly publicKey: string,
  ) {}

  static async of(secret: Bytes): Promise<Vault> {
    const keys = await deviceKeys(secret)
    return new Vault(secret, keys, toBase64Url(await publicBytes(keys)))
  }

  static make(): Promise<Vault> {
    return Vault.of(randomBytes(VAULT_BYTES))
  }

  /** Opens what `wrapped` has made. Returns null for another key, or a vault with another public key than it was made with. */
  static async unwrap(wrapped: string, key: Bytes, opens: Opens, publicKey: string): Promise<Vault | null> {
    const bytes = fromBase64Url(wrapped)
    const text = bytes && (await openBox(await boxKey(key), bytes, about(opens)))
    const opened = text ? fromBase64Url(text) : null
    if (opened?.byteLength !== VAULT_BYTES) return null
    const vault = await Vault.of(opened)
    return vault.publicKey === publicKey ? vault : null
  }

  /** Returns the secret, sealed under a key. */
  async wrapped(key: Bytes, opens: Opens): Promise<string> {
    return toBase64Url(await sealBox(await boxKey(key), toBase64Url(this.secret), about(opens)))
  }

  /** Seals what this account alone opens. */
  sealOwn(entry: OwnEntry): Promise<SealedKeys> {
    return this.#seal(this.publicKey, entry)
  }

  /** Seals the keys of a beam to another account. @throws when its public key is none */
  seal(to: string, { keys, current, isDeposited }: SavedShared): Promise<SealedKeys> {
    return this.#seal(to, { keys, current, isDeposited })
  }

  async #seal(to: string, content: OwnEntry | SavedShared): Promise<SealedKeys> {
    const hpke = suite()
    const recipientPublicKey = await hpke.kem.deserializePublicKey(fromBase64Url(to) ?? new Uint8Array())
    const info = infoOf(this.publicKey, to)
    const sender = await hpke.createSenderContext({ recipientPublicKey, senderKey: this.keys, info })
    const sealed = await sender.seal(utf8(JSON.stringify(content)))
    return {
      from: this.publicKey,
      encapsulated: toBase64Url(new Uint8Array(sender.enc)),
      sealed: toBase64Url(new Uint8Array(sealed)),
    }
  }

  /** Returns null for what this account has not sealed itself. */
  async openOwn(message: SealedKeys): Promise<OwnEntry | null> {
    return message.from === this.publicKey ? this.#open(message, ownSchema) : null
  }

  /** Returns null for what was not sealed by that account to this one. */
  open(message: SealedKeys): Promise<SavedShared | null> {
    return this.#open(message, handedSchema)
  }

  async #open<Schema extends v.GenericSchema>(
    message: SealedKeys,
    schema: Schema,
  ): Promise<v.InferOutput<Schema> | null> {
    const bytes = sealedOf(message)
    const hpke = suite()
    try {
      if (!bytes) return null
      const recipient = await hpke.createRecipientContext({
        recipientKey: this.keys,
        senderPublicKey: await hpke.kem.deserializePublicKey(fromBase64Url(message.from) ?? new Uint8Array()),
        enc: bytes.encapsulated,
        info: infoOf(message.from, this.publicKey),
      })
      const content = new TextDecoder().decode(await recipient.open(bytes.sealed))
      return v.parse(schema, JSON.parse(content))
    } catch {
      return null
    }
  }
}

/** Returns what two people compare to know that they have the same public key: six groups of five digits. */
export async function fingerprintOf(publicKey: string): Promise<string> {
  const bytes = fromBase64Url(publicKey) ?? new Uint8Array()
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from({ length: GROUPS }, (_, at) => {
    const number = hash.slice(at * 5, at * 5 + 5).reduce((sum, byte) => sum * 256 + byte, 0)
    return String(number % 10 ** GROUP_DIGITS).padStart(GROUP_DIGITS, '0')
  }).join(' ')
}

function about(opens: Opens): string {
  return `beam-e2e/1 vault-by-${opens}`
}

/** Binds what is sealed to both accounts. Their keys are of one length. */
function infoOf(from: string, to: string): Bytes {
  return utf8(`beam-e2e/1 vault-keys${from}${to}`)
}

function boxKey(key: Bytes): Promise<CryptoKey> {
  return crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])
}
