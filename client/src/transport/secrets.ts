/**
 * The keys of the beams that this page has entered, and everything that is done with them. It runs in a worker, so that no
 * beam key is ever in the page's memory; `secrets-door` is the way to it. Those of saved beams: `saved-beam-secrets`.
 */
import { fromBase64Url } from '../crypto/bytes'
import type { Comparisons, ShareMessage } from '../crypto/comparisons'
import type { Kind } from '../crypto/envelope'
import type { Introduced, Naming } from '../crypto/handing-over'
import { Keyring } from '../crypto/keyring'
import type { JoinRequest, Refusal } from '../crypto/link-joining'
import type { WelcomeMessage } from '../crypto/state-welcome'
import type { BeamId, DeviceId } from '../protocol/bindings'
import { writeUuid } from '../protocol/frames'
import { EnteredBeam, EnteredBeams, type KeptKeys } from './entered-beams'
import { type Having, havingOf, type OpenedText, type Welcomed } from './having'
import { NO_VAULT, type OwnVault } from './own-vault'
import { type Deposits, SavedBeamSecrets } from './saved-beam-secrets'
import { NOTHING_SEEN, type SeenEntries } from './seen-entries'

export class Secrets {
  readonly #beams: EnteredBeams
  readonly #saved: SavedBeamSecrets

  constructor(
    readonly kept: KeptKeys,
    deposits: Deposits,
    vault: OwnVault = NO_VAULT,
    seen: SeenEntries = NOTHING_SEEN,
  ) {
    this.#beams = new EnteredBeams(kept)
    this.#saved = new SavedBeamSecrets(this.#beams, deposits, vault, seen)
  }

  stored: SavedBeamSecrets['stored'] = (...all) => this.#saved.stored(...all)
  deposit: SavedBeamSecrets['deposit'] = (...all) => this.#saved.deposit(...all)
  depositSaved: SavedBeamSecrets['depositSaved'] = (...all) => this.#saved.depositSaved(...all)
  distrust: SavedBeamSecrets['distrust'] = (...all) => this.#saved.distrust(...all)
  withdraw: SavedBeamSecrets['withdraw'] = (...all) => this.#saved.withdraw(...all)
  rekey: SavedBeamSecrets['rekey'] = (...all) => this.#saved.rekey(...all)
  rekeySaved: SavedBeamSecrets['rekeySaved'] = (...all) => this.#saved.rekeySaved(...all)

  /** Makes the keys of a beam that this device has created. */
  async make(beam: BeamId): Promise<Having> {
    const { ring } = await this.#beams.enter(beam, new EnteredBeam(await Keyring.make()))
    return havingOf(ring)
  }

  /** Makes a key of a beam whose link this device has, where nobody has one. */
  async makeKey(beam: BeamId): Promise<Having> {
    const { ring } = this.#beams.of(beam)
    if (!ring.isKeyed) await ring.makeKey()
    await this.#beams.keep(beam, ring)
    return havingOf(ring)
  }

  /**
   * Begins with a beam: with the keys that an earlier page has kept, or with the secret of a link.
   * @param invite base64url; null without a link, or where it carries no secret
   */
  async enter(beam: BeamId, invite: string | null): Promise<Having> {
    const { ring } = await this.#beams.enter(beam)
    const secret = invite === null ? null : fromBase64Url(invite)
    if (secret) {
      await ring.invite(secret)
      await this.#beams.keep(beam, ring)
    }
    return havingOf(ring)
  }

  /** Returns what lets in whoever has the link (E10). */
  sealKept(beam: BeamId): Promise<string | null> {
    return this.#beams.of(beam).ring.sealKept()
  }

  /** Takes what lets in whoever has the link. Returns null where it does not open. */
  async openKept(beam: BeamId, sealed: string, here: readonly DeviceId[] = []): Promise<Having | null> {
    const { ring } = this.#beams.of(beam)
    if (!(await ring.openKept(sealed, here))) return null
    await this.#beams.keep(beam, ring)
    return havingOf(ring)
  }

  /**
   * The beam has another id now (H28).
   * @param isMine whether this device has renewed the link: then it makes the invite that the new one carries
   */
  async moved(before: BeamId, now: BeamId, isMine: boolean): Promise<Having> {
    const ring = await this.#beams.move(before, now, async (keys) => isMine && keys.renew())
    return havingOf(ring)
  }

  /**
   * Makes new keys, which these devices do not have. Resolves to null without doing so where that was done, or nothing is sealed.
   * @param unverified the devices of which it does not count that others have done it
   */
  async removed(
    beam: BeamId,
    devices: readonly DeviceId[],
    unverified: readonly DeviceId[],
  ): Promise<Having | null> {
    const { ring } = this.#beams.of(beam)
    const isDone = (device: DeviceId) => ring.removed.includes(device) && !unverified.includes(device)
    if (!ring.isKeyed || devices.every(isDone)) return null
    return this.rekey(beam, devices)
  }

  /** Returns what tells a device this one's name, and its public key, by which it can be handed new keys (E15). */
  introduce(beam: BeamId, me: DeviceId, to: DeviceId, naming: Naming): Promise<string> {
    return this.#beams.of(beam).handing.introduce(me, to, naming)
  }

  /** @returns with it what this device has, where it has learnt of devices that were not compared, or of a deposit */
  async introduced(
    beam: BeamId,
    from: DeviceId,
    me: DeviceId,
    sealed: string,
  ): Promise<Introduced & { readonly having: Having | null }> {
    const { ring } = this.#beams.of(beam)
    const answer = await this.#beams.of(beam).handing.introduced(from, me, sealed)
    if (answer.isAsking || answer.isWarning) await this.#beams.keep(beam, ring)
    return { ...answer, having: answer.isWarning ? havingOf(ring) : null }
  }

  /** Returns the keys for a device that is in; null where it is not known how to seal them for it. */
  handTo(beam: BeamId, device: DeviceId, me: DeviceId): Promise<WelcomeMessage | null> {
    return this.#beams.of(beam).handing.handTo(device, me)
  }

  /** Takes what a device that is in has handed over. Resolves to null where nothing was taken. */
  async handed(
    beam: BeamId,
    from: DeviceId,
    me: DeviceId,
    message: WelcomeMessage,
    here: readonly DeviceId[],
  ): Promise<Having | null> {
    const { ring } = this.#beams.of(beam)
    if (!(await this.#beams.of(beam).handing.handed(from, me, message, here))) return null
    await this.#beams.keep(beam, ring)
    return havingOf(ring)
  }

  /**
   * The beam has ended: nothing of its keys stays, or comes back from a call that is under way. @throws when the browser may still have them
   */
  forget(beam: BeamId): Promise<void> {
    return this.#beams.forget(beam)
  }

  /** @throws when this device has no key of the beam */
  seal(beam: BeamId, kind: Kind, text: string): Promise<string> {
    return this.#beams.of(beam).ring.seal(kind, text)
  }

  async open(beam: BeamId, kind: Kind, envelope: string): Promise<OpenedText> {
    const { ring } = this.#beams.of(beam)
    if (!ring.knows(envelope)) return { is: 'unknown' }
    if (!ring.counts(kind, envelope)) return { is: 'past' }
    const opened = await ring.open(kind, envelope)
    if (!opened) return { is: 'broken' }
    return { is: 'open', header: opened.header, text: new TextDecoder().decode(opened.content) }
  }

  ask(beam: BeamId): Promise<JoinRequest | null> {
    return this.#beams.of(beam).joining.ask()
  }

  async answer(beam: BeamId, device: DeviceId, request: JoinRequest): Promise<WelcomeMessage | Refusal> {
    const { ring, joining } = this.#beams.of(beam)
    const answer = await joining.answer(device, request)
    if (typeof answer !== 'string') await this.#beams.keep(beam, ring)
    return answer
  }

  /**
   * Takes the welcome of a device, to a request or after a comparison.
   * @param isCompared whether one after a comparison counts: no longer once this device is in
   * @param others those that are here
   */
  async welcomed(
    beam: BeamId,
    me: DeviceId,
    from: DeviceId,
    message: WelcomeMessage,
    isCompared: boolean,
    others: readonly DeviceId[] = [],
  ): Promise<Welcomed> {
    const { ring, joining, comparing } = this.#beams.of(beam)
    const here = [me, from, ...others]
    const isByLink = await joining.welcomed(me, message, here)
    const signs = !isByLink && isCompared ? await comparing.welcomed(me, from, message, here) : null
    const isTaken = isByLink || signs !== null
    if (isTaken) await this.#beams.keep(beam, ring)
    return { ...havingOf(ring), isTaken, signs }
  }

  /** Begins to join by a device without the link (E8). Returns the commitment. */
  commit(beam: BeamId, device: DeviceId): Promise<string> {
    return this.#beams.of(beam).comparing.commit(bytesOf(beam), device)
  }

  /** A device without the link begins to join by this one. @param mayBegin whether it may, if it has not begun so before */
  accept(
    beam: BeamId,
    device: DeviceId,
    commitment: string,
    mayBegin: boolean,
  ): ReturnType<Comparisons['accept']> {
    return this.#beams.of(beam).comparing.accept(device, commitment, mayBegin)
  }

  reveal(beam: BeamId, device: DeviceId, share: ShareMessage): ReturnType<Comparisons['reveal']> {
    return this.#beams.of(beam).comparing.reveal(bytesOf(beam), device, share)
  }

  revealed(beam: BeamId, device: DeviceId, share: ShareMessage): Promise<readonly number[] | null> {
    return this.#beams.of(beam).comparing.revealed(bytesOf(beam), device, share)
  }

  /**
   * @param signs those that the person has compared; what a joiner shows meanwhile does not count
   * @param isCompared false for the first device, which is let in unasked
   */
  async letIn(
    beam: BeamId,
    device: DeviceId,
    signs: readonly number[],
    isCompared: boolean,
  ): Promise<WelcomeMessage | null> {
    const welcome = await this.#beams.of(beam).comparing.letIn(device, signs, isCompared)
    await this.#beams.keep(beam, this.#beams.of(beam).ring)
    return welcome
  }

  /** A person at this device has compared these. */
  async compared(beam: BeamId, devices: readonly DeviceId[]): Promise<Having> {
    const { ring } = this.#beams.of(beam)
    ring.unverified.compare(devices)
    await this.#beams.keep(beam, ring)
    return havingOf(ring)
  }

  /** Ends what a joiner has begun with this device, or this one as a joiner with that. */
  async forgetJoiner(beam: BeamId, device: DeviceId): Promise<void> {
    this.#beams.of(beam).comparing.forget(device)
  }
}

function bytesOf(beam: BeamId): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(16)
  writeUuid(bytes, 0, beam)
  return bytes
}
