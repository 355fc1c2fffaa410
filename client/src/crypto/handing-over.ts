/**
 * Hands new keys to the devices that are still in when another one was removed, or the link was renewed (E15). A device tells the others
 * its public key while all have the same keys, and what it tells says later whether it needs newer ones.
 */
import * as v from 'valibot'
import { type Bytes, toBase64Url, utf8 } from './bytes'
import { deviceKeys, openFrom, sealFor } from './device-keys'
import { type Header, headerOf } from './envelope'
import type { Keyring } from './keyring'
import { sharedIn, unverifiedSchema } from './shared-keys'
import { messageOf, sealedOf, type WelcomeMessage } from './state-welcome'
import { publicBytes } from './welcome'

/** What a device tells of itself. */
const introductionSchema = v.object({
  from: v.string(),
  to: v.string(),
  /** Its public key. */
  key: v.string(),
  /** The id of its invite: keys can be the same after a renewal. */
  invite: v.string(),
  unverified: unverifiedSchema,
  /** Whether the keys were deposited, as it knows. The server need not tell every device. Absent from older versions. */
  isDeposited: v.optional(v.boolean(), false),
  /** Its name. Absent from older versions: what the server says of it counts then. */
  name: v.optional(v.string()),
  /** Whether it knows the name of the device that it tells this. Older versions do not ask. */
  hasYours: v.optional(v.boolean(), true),
})

type Introduction = v.InferOutput<typeof introductionSchema>

/** What a device says of names when it introduces itself to another one. */
export type Naming = Required<Pick<v.InferInput<typeof introductionSchema>, 'name' | 'hasYours'>>

/** What is to be done for a device that has introduced itself. */
export interface Introduced {
  /** What it is handed; null where it lacks nothing, or may not have it. */
  readonly keys: WelcomeMessage | null
  /** Whether it has to hear of this device too. */
  readonly isAsking: boolean
  /** Whether it has the key that seals, and so waits for nobody to let it in. */
  readonly isIn: boolean
  /** Whether it has told of devices that were not compared, or that the keys were deposited, and this one did not know. */
  readonly isWarning: boolean
  /** What it calls itself, as it came; null where it says no name, or has said another one since. */
  readonly name: string | null
}

export class HandingOver {
  /** The key pair that was derived last, with the secret of which it follows. */
  #derived: { readonly own: Bytes; readonly keys: Promise<CryptoKeyPair> } | null = null

  /** The highest number of an introduction that came from each page: the server could bring an earlier name back. */
  readonly #heard = new Map<string, number>()

  constructor(readonly ring: Keyring) {}

  get #own(): Promise<CryptoKeyPair> {
    const own = this.ring.tellOwn()
    if (this.#derived?.own !== own) this.#derived = { own, keys: deviceKeys(own) }
    return this.#derived.keys
  }

  /** Returns what tells a device the public key and the name of this one. @throws when this device has not been let in */
  async introduce(me: string, to: string, naming: Naming): Promise<string> {
    const key = toBase64Url(await publicBytes(await this.#own))
    const { inviteId: invite, unverified, saved } = this.ring
    const known = { unverified: unverified.ids, isDeposited: saved.wereDeposited }
    const introduction = { from: me, to, key, invite, ...known, ...naming }
    return this.ring.seal('e2e', JSON.stringify(introduction))
  }

  /** A device has introduced itself. Its key counts only where it was sealed under the newest one: a removed device has the others. */
  async introduced(from: string, me: string, envelope: string): Promise<Introduced> {
    const { ring } = this
    const none = { keys: null, isAsking: false, isIn: false, isWarning: false, name: null }
    if (!ring.isKeyed || ring.devices.isRemoved(from)) return none
    if (headerOf(envelope)?.keyId !== ring.shared?.current)
      return { ...none, keys: await this.handTo(from, me), isAsking: !ring.knows(envelope) }
    const opened = await ring.open('e2e', envelope)
    const said = opened && readIntroduction(new TextDecoder().decode(opened.content))
    if (!said || said.from !== from || said.to !== me) return none
    // The keys may have been changed since, perhaps because of this very device.
    if (headerOf(envelope)?.keyId !== ring.shared?.current) return none
    const isNew = ring.devices.learn(from, said.key)
    const isWarning = this.#isWarnedBy(said)
    const isOther = said.invite !== ring.inviteId
    const name = this.#isNewest(opened.header) ? (said.name ?? null) : null
    const keys = isOther ? await this.handTo(from, me) : null
    return { keys, isAsking: isNew || isOther || !said.hasYours, isIn: true, isWarning, name }
  }

  /** Takes what people are warned of. Returns whether any of it is news. */
  #isWarnedBy({ unverified, isDeposited }: Introduction): boolean {
    const areNews = this.ring.hears(unverified, this.ring.shared?.current ?? '')
    return this.ring.saved.hears(isDeposited) || areNews
  }

  #isNewest({ page, number }: Header): boolean {
    if (number <= (this.#heard.get(page) ?? -1)) return false
    this.#heard.set(page, number)
    return true
  }

  /** Returns what this device has, for one that is in; null where that one's key is not known. */
  async handTo(device: string, me: string): Promise<WelcomeMessage | null> {
    const publicKey = this.ring.devices.keyOf(device)
    const { shared } = this.ring
    if (!publicKey || !shared) return null
    try {
      const own = { device: me, keys: await this.#own }
      return messageOf(await sealFor({ device, publicKey }, own, utf8(JSON.stringify(shared))))
    } catch {
      return null
    }
  }

  /**
   * Takes what a device that is in has handed over.
   * @param here the devices that are here: nobody is told that one of them was removed
   * @returns whether anything was taken
   */
  async handed(from: string, me: string, message: WelcomeMessage, here: readonly string[]): Promise<boolean> {
    const { devices } = this.ring
    const publicKey = devices.keyOf(from)
    const sealed = sealedOf(message)
    if (!publicKey || !sealed || !this.ring.isKeyed) return false
    const own = { device: me, keys: await this.#own }
    const content = await openFrom({ device: from, publicKey }, own, sealed)
    const told = content && sharedIn(new TextDecoder().decode(content))
    // Who was removed hands nothing over, and is handed nothing.
    if (!told || devices.isContradictedBy(told.removed, [from, me, ...here])) return false
    // It may have been removed meanwhile.
    return this.ring.take(told, () => (devices.isRemoved(from) ? 'nothing' : 'all'))
  }
}

function readIntroduction(text: string): Introduction | null {
  try {
    const parsed = v.safeParse(introductionSchema, JSON.parse(text))
    return parsed.success ? parsed.output : null
  } catch {
    return null
  }
}
