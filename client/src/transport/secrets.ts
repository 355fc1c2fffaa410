/**
 * The keys of the beams that this page has entered, and everything that is done with them. It runs in a worker, so that no
 * beam key is ever in the page's memory; `secrets-door` is the way to it.
 */
import { fromBase64Url, toBase64Url } from '../crypto/bytes'
import type { Header, Kind } from '../crypto/envelope'
import {
  type JoinRequest,
  Keyring,
  type Refusal,
  type SharedKeys,
  type WelcomeMessage,
} from '../crypto/keyring'
import type { BeamId, DeviceId } from '../protocol/bindings'

/** Where keys outlive the page. */
export interface KeptKeys {
  read(beam: BeamId): Promise<SharedKeys | null>
  write(beam: BeamId, keys: SharedKeys): Promise<void>
  remove(beam: BeamId): Promise<void>
}

/** What this device has of a beam. */
export interface Having {
  /** Whether it can seal and open. */
  readonly isKeyed: boolean
  /** The secret that the link carries, as base64url; null where it is not known here. */
  readonly invite: string | null
}

export type OpenedText =
  | { readonly is: 'open'; readonly header: Header; readonly text: string }
  /** It is under a key that is not here. */
  | { readonly is: 'unknown' }
  | { readonly is: 'broken' }

export class Secrets {
  readonly #rings = new Map<BeamId, Keyring>()

  constructor(readonly kept: KeptKeys) {}

  /** Makes the keys of a beam that this device has created. */
  async make(beam: BeamId): Promise<Having> {
    const ring = await Keyring.make()
    this.#rings.set(beam, ring)
    await this.#keep(beam, ring)
    return having(ring)
  }

  /**
   * Begins with a beam: with the keys that an earlier page has kept, or with the secret of a link.
   * @param invite base64url; null without a link, or where it carries no secret
   */
  async enter(beam: BeamId, invite: string | null): Promise<Having> {
    const ring = this.#rings.get(beam) ?? new Keyring()
    this.#rings.set(beam, ring)
    const kept = ring.isKeyed ? null : await this.kept.read(beam)
    if (kept) await ring.take(kept)
    const secret = invite === null ? null : fromBase64Url(invite)
    // A link that is older than the last renewal would take the newer secret away.
    if (secret && !ring.isKeyed) await ring.invite(secret)
    return having(ring)
  }

  /** The beam has another id now (H28). */
  async moved(before: BeamId, now: BeamId): Promise<void> {
    const ring = this.#rings.get(before)
    if (!ring) return
    this.#rings.delete(before)
    this.#rings.set(now, ring)
    await this.#keep(now, ring)
    await this.kept.remove(before)
  }

  /** The beam has ended: nothing of its keys stays. */
  async forget(beam: BeamId): Promise<void> {
    this.#rings.delete(beam)
    await this.kept.remove(beam)
  }

  /** @throws when this device has no key of the beam */
  seal(beam: BeamId, kind: Kind, text: string): Promise<string> {
    return this.#ring(beam).seal(kind, text)
  }

  async open(beam: BeamId, kind: Kind, envelope: string): Promise<OpenedText> {
    const ring = this.#ring(beam)
    if (!ring.knows(envelope)) return { is: 'unknown' }
    const opened = await ring.open(kind, envelope)
    if (!opened) return { is: 'broken' }
    return { is: 'open', header: opened.header, text: new TextDecoder().decode(opened.content) }
  }

  ask(beam: BeamId): Promise<JoinRequest | null> {
    return this.#ring(beam).ask()
  }

  answer(beam: BeamId, device: DeviceId, request: JoinRequest): Promise<WelcomeMessage | Refusal> {
    return this.#ring(beam).answer(device, request)
  }

  async welcomed(beam: BeamId, me: DeviceId, message: WelcomeMessage): Promise<Having> {
    const ring = this.#ring(beam)
    if (await ring.welcomed(me, message)) await this.#keep(beam, ring)
    return having(ring)
  }

  async #keep(beam: BeamId, ring: Keyring): Promise<void> {
    if (ring.shared) await this.kept.write(beam, ring.shared)
  }

  #ring(beam: BeamId): Keyring {
    const ring = this.#rings.get(beam)
    if (!ring) throw new Error('The page has not entered this beam.')
    return ring
  }
}

function having(ring: Keyring): Having {
  return { isKeyed: ring.isKeyed, invite: ring.secret && toBase64Url(ring.secret) }
}
