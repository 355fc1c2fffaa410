/** The beam that this page is in: creates, joins and enters beams, and follows a renewed link. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import { findBeamId, findInvite, isSecureLink } from '../protocol/beam-link'
import { BEAM_LIFETIME_MS, type Beam, type BeamId } from '../protocol/bindings'
import { isByLogin } from '../stores/beam-access'
import { type BeamSession, UNTITLED_KEY } from '../stores/beam-session'
import { reduceCanvas } from '../stores/canvas'
import { reduceKeeping } from '../stores/keeping'
import { reduceRecentBeams } from '../stores/recent-beams'
import { readMe } from '../transport/account-calls'
import { createBeam, readSite } from '../transport/http'
import type { LiveBeam } from '../transport/live-beam'
import type { LiveBeamStatus } from '../transport/live-beam-status'
import type { SecretsDoor } from '../transport/secrets-door'
import { notConnected } from './access-news'
import type { RekeyedHere } from './beam-channel'
import { BeamConnection } from './beam-connection'
import { forgetKnown, moveEntries } from './beam-entries'
import { forgetCanvas } from './canvas-storage'
import { createClearCopiesChoice } from './clear-copies'
import type { ItemChannel, PageContext } from './context'
import { forgetDeviceTokens, moveDeviceToken } from './device-tokens'
import { tellJoined } from './joined-news'
import { holdBeam, ifClosed, tellRemoved } from './open-beams'
import { isSeen } from './page-life'
import { PatientStatus } from './patient-status'
import { findRenewed } from './renewed-beam'
import { SavedBeamKeys } from './saved-beam-keys'
import { isInsecure, isSealing } from './sealing-choice'
import { clearSessionOf, saveSession, updateSession } from './session-storage'
import { forgetUnsent, readUnsent } from './unsent-storage'

/** What a link says of the keys of its beam. */
export type LinkSecret = Pick<BeamSession, 'invite' | 'isSealed'>

/** A link, an id or a code that carries no secret. */
export const NO_SECRET: LinkSecret = { invite: null }

export class CurrentBeam {
  readonly #context: PageContext
  readonly #secrets: SecretsDoor
  readonly #onItems: () => void
  /** The keys of the others. */
  readonly #savedKeys: SavedBeamKeys
  #connection: BeamConnection | null = null
  #patience: PatientStatus | null = null
  /** Says to the other tabs that this page is not in its beam any more. */
  #letGo: () => void = () => {}
  /** Counts the wishes to be in some beam, so that the late answer to an older one is dropped. */
  #wishes = 0

  /** @param onItems called when items may be new, because small files among them are received without a tap */
  constructor(context: PageContext, secrets: SecretsDoor, onItems: () => void) {
    this.#context = context
    this.#secrets = secrets
    this.#onItems = onItems
    this.#savedKeys = new SavedBeamKeys(secrets, context.stores, {
      rekeyHere: (id) => this.#rekeyHere(id),
      renewLogin: readMe,
      onFailed: () =>
        context.toaster.bad(t`The keys of the beam could not be changed yet. This is tried again by itself.`),
      onLocked: () =>
        context.toaster.info(
          t`Your vault is locked on this device. Open it on your profile: until then, the old keys can open what is shared in this beam.`,
        ),
    })
  }

  /** The live channel; null while the page is in no beam. */
  get live(): LiveBeam | null {
    return this.#connection?.live ?? null
  }

  /** What items go through; null while the page is in no beam. */
  get channel(): ItemChannel | null {
    return this.#connection?.channel ?? null
  }

  /** The connection to the current beam; null while there is none. */
  get connection(): BeamConnection | null {
    return this.#connection
  }

  /** Leaves the current beam and enters another one. */
  enter(session: BeamSession, onStatus: (status: LiveBeamStatus) => void = () => {}): void {
    const { connection } = this.#context.stores
    this.#wishes += 1
    this.#disconnect()
    if (isInsecure() && (session.invite || session.isSealed)) return this.#stayOut(session)
    this.#letGo = holdBeam(session.beamId)
    saveSession(session)
    this.#context.stores.session.setState({ status: 'set', session }, true)
    const patience = new PatientStatus((shown) => connection.setState(shown, true), isSeen)
    this.#patience = patience
    const show = (heard: LiveBeamStatus) => {
      patience.hear(heard)
      onStatus(heard)
    }
    this.#connection = new BeamConnection(session, this.#context, this.#secrets, {
      onStatus: (heard) => {
        const hasEnded = heard.status === 'stopped' && heard.why === 'ended'
        if (hasEnded) void this.#followRenewed(show)
        else show(heard)
      },
      onItems: this.#onItems,
    })
    this.#savedKeys.entered(session.beamId)
  }

  /** Shows that this page cannot open a beam that is sealed. It says nothing to the server: a link with a secret never falls back. */
  #stayOut(session: BeamSession): void {
    const { stores } = this.#context
    const sealed = { ...session, isSealed: true }
    saveSession(sealed)
    stores.encryption.setState({ kind: 'insecure', isShutOut: true }, true)
    stores.session.setState({ status: 'set', session: sealed }, true)
    stores.connection.setState({ status: 'idle' }, true)
  }

  /**
   * Joins the beam again under the id that it has now, if its link was renewed elsewhere and this person needs no link.
   * Otherwise shows that the beam has ended.
   */
  async #followRenewed(show: (status: LiveBeamStatus) => void): Promise<void> {
    const connection = this.#connection
    const old = this.#session()?.beamId
    if (old === undefined) return
    show({ status: 'connecting' })
    const found = await findRenewed(old, this.#context.stores)
    // Meanwhile the page may have entered another beam, or renewed the link itself.
    if (this.#connection !== connection || this.#session()?.beamId !== old) return
    if (found === 'ended') void this.#forget(old).catch(() => {})
    if (typeof found === 'string') show({ status: 'stopped', why: found })
    else this.renewed(old, found, false)
  }

  /**
   * Resolves once nothing of the keys of a beam is left in this browser, and of what people did in it. That the keys are to change stays: a
   * server that says that the beam has ended may show it again. @throws where the browser may still have them
   */
  async #forget(beam: BeamId): Promise<void> {
    forgetKnown(beam)
    this.#savedKeys.forgotten(beam)
    await this.#secrets.forget(beam)
  }

  /**
   * A person wants nothing of a beam to stay in this browser, or it is over. Resolves to false where a tab is in it, which goes on.
   * @throws where the browser may still have its keys
   */
  remove(beam: BeamId): Promise<boolean> {
    return ifClosed(beam, async () => {
      await this.#removeHere(beam)
      forgetCanvas(beam)
      clearSessionOf(beam)
      tellRemoved(beam)
    })
  }

  /** Another tab has removed a beam, of which this page may have keys in memory since it left it. */
  removed(beam: BeamId): void {
    if (this.#session()?.beamId !== beam) void this.#removeHere(beam).catch(() => {})
  }

  async #removeHere(beam: BeamId): Promise<void> {
    await this.#forget(beam)
    forgetDeviceTokens(beam)
    if (readUnsent(beam).length > 0) forgetUnsent()
  }

  /** Creates a new beam and enters it, unless the page has entered another one meanwhile. */
  async create(): Promise<void> {
    const { session } = this.#context.stores
    const isWanted = this.wait()
    try {
      const [made, isSealed] = await Promise.all([createBeam(), this.#isSealedByAll()])
      const { beam_id, beam_key, created_at, expires_at } = made
      const invite = isSealed ? (await this.#secrets.make(beam_id)).invite : null
      if (!isWanted()) return
      const expiresAt = Date.now() + expires_at - created_at
      this.enter({ beamId: beam_id, beamKey: beam_key, beamName: '', invite, expiresAt })
    } catch {
      if (isWanted()) session.setState({ status: 'failed' }, true)
    }
  }

  /** Whether this page seals, and those that open the link of its beam can: else they would see nothing of it. */
  async #isSealedByAll(): Promise<boolean> {
    if (!isSealing()) return false
    const { site } = this.#context.stores.site.getState()
    return isSecureLink(site ?? (await readSite().catch(() => null)), location)
  }

  /** Shows that a beam is about to be entered. Returns whether it is still to be: nothing else was wished since. */
  wait(): () => boolean {
    this.#wishes += 1
    const wish = this.#wishes
    this.#context.stores.session.setState({ status: 'creating' }, true)
    return () => wish === this.#wishes
  }

  /**
   * Enters a beam by its id, and by the secret of its link where there was one. One that the page is in already is joined again only when its channel has
   * stopped.
   */
  join(beamId: BeamId, secret: LinkSecret = NO_SECRET): void {
    const session = this.#session()
    if (session?.beamId !== beamId) return this.enter({ ...joinedSession(beamId), ...secret })
    // Whoever came without the link, and could not be let in, has it now; or it is newer than the keys that are here.
    if (secret.invite && secret.invite !== session.invite) {
      // A page that seals nothing may have to stay out.
      if (!this.#connection?.ways) return this.enter({ ...session, ...secret })
      // What waits to be shared stays with the channel.
      this.#connection.channel.invited(secret.invite)
    }
    if (this.#context.stores.connection.getState().status === 'stopped') this.rejoin()
  }

  /**
   * Follows a beam to its new id (H28). A page that is in it stays the same device and keeps its items. The beam key is
   * dropped, because it belongs to the old id.
   * @param isMine whether this page has renewed the link
   */
  renewed(old: BeamId, { beam_id, beam_name }: Beam, isMine: boolean): void {
    const session = this.#session()
    if (session?.beamId !== old) {
      moveEntries(old, beam_id)
      if (isMine && isSealing()) this.#savedKeys.moved(old, beam_id)
      return
    }
    moveDeviceToken(old, beam_id)
    this.#savedKeys.followed(old, beam_id)
    this.#letGo()
    this.#letGo = holdBeam(beam_id)
    this.#context.stores.canvas.setState(
      (state) => reduceCanvas(state, { type: 'moved', beam: beam_id }),
      true,
    )
    const renewed = { ...session, beamId: beam_id, beamKey: null, beamName: beam_name }
    updateSession(old, renewed)
    const ended = { type: 'forgotten', beam: old } as const
    this.#context.stores.recentBeams.setState((state) => reduceRecentBeams(state, ended), true)
    this.#context.stores.session.setState({ status: 'set', session: renewed }, true)
    this.#connection?.move(beam_id, null, isMine)
  }

  /** Somebody is about to be kept from reading a saved beam. Returns what takes that back. */
  takingReading(id: BeamId): () => void {
    return isSealing() ? this.#savedKeys.expect(id) : () => {}
  }

  /**
   * Somebody may not read a saved beam any more: what is shared from now on is under another key. Resolves once that is so, or is tried again
   * and again.
   */
  async readingTaken(id: BeamId): Promise<void> {
    if (isSealing()) await this.#savedKeys.change(id)
  }

  /** Changes the keys of the beam that the page is in. Returns null where that is another one. */
  #rekeyHere(id: BeamId): Promise<RekeyedHere> | null {
    return this.#session()?.beamId === id ? (this.#connection?.channel.rekey() ?? null) : null
  }

  /** The keys of a saved beam may lie where this page could not look for them until now. */
  lookForKeys(): void {
    if (this.#context.stores.access.getState().kind === 'saved') void this.#connection?.channel.saved(false)
  }

  /** Saves the beam to the account. Resolves to null once it is saved, else to the reason why not. */
  save(name: string): Promise<string | null> {
    return this.#connection?.save(name) ?? Promise.resolve(notConnected())
  }

  /** Leaves the current beam for none. A later visit does not come back to it by itself. */
  leave(): void {
    const session = this.#session()
    this.#wishes += 1
    this.#disconnect()
    if (session) clearSessionOf(session.beamId)
    this.#context.stores.session.setState({ status: 'none' }, true)
    this.#context.stores.connection.setState({ status: 'idle' }, true)
  }

  /** The person has logged out. A beam that was open by the login is left, so that whoever uses the browser next does not see it. */
  loggedOut(): void {
    if (isByLogin(this.#context.stores.access.getState())) this.leave()
    else this.rejoin()
  }

  /** Joins again, with the login that there is now. */
  rejoin(): void {
    this.live?.rejoin()
  }

  /** Checks the live channel at once. */
  wake(): void {
    this.live?.wake()
  }

  /** The page has become visible again. */
  seen(): void {
    this.#patience?.seen()
  }

  #disconnect(): void {
    // What is open belongs to the items that go now. Left open, it would be shared into the next beam.
    if (this.#connection) closeParts(this.#context.stores)
    this.#connection?.leave()
    this.#connection = null
    this.#letGo()
    this.#patience?.end()
    this.#patience = null
  }

  #session(): BeamSession | null {
    const state = this.#context.stores.session.getState()
    return state.status === 'set' ? state.session : null
  }
}

/** Closes the parts of the page that show or change items of the beam. */
function closeParts({ editor, fullView, beamDialog }: PageContext['stores']): void {
  editor.setState({ kind: 'closed' }, true)
  fullView.setState({ kind: 'closed' }, true)
  if (beamDialog.getState().kind === 'send') beamDialog.setState({ kind: 'none' }, true)
}

/** Makes the session for joining by link, code or id. The server sends its expiry in the welcome. */
export function joinedSession(beamId: BeamId): BeamSession {
  return { beamId, beamKey: null, beamName: UNTITLED_KEY, expiresAt: Date.now() + BEAM_LIFETIME_MS }
}

type BeamActions = Pick<
  Actions,
  | 'newBeam'
  | 'joinBeam'
  | 'enterRecent'
  | 'leaveBeam'
  | 'reconnect'
  | 'lookForMissing'
  | 'saveBeam'
  | 'keepBeam'
  | 'declineKeeping'
  | 'removeDevice'
  | 'arrangeForEveryone'
  | 'sendInClear'
  | 'shareClear'
>

/** Returns the actions on the beam as a whole. */
export function createBeamActions(
  beam: CurrentBeam,
  { stores, toaster, transfers }: PageContext,
): BeamActions {
  return {
    ...createClearCopiesChoice(stores, transfers),
    newBeam: () => beam.create(),
    joinBeam(text) {
      const beamId = findBeamId(text)
      if (!beamId) return false
      const invite = findInvite(text)
      beam.join(beamId, invite === null ? NO_SECRET : { invite, isSealed: true })
      // A page that cannot open it says so itself.
      if (beam.channel !== null) tellJoined(stores, toaster)
      return true
    },
    enterRecent(id) {
      const found = stores.recentBeams.getState().beams.find(({ beamId }) => beamId === id)
      if (!found) return
      const { at: _at, ...session } = found
      beam.enter(session)
    },
    leaveBeam: () => beam.leave(),
    reconnect: () => beam.wake(),
    shareClear: () => beam.connection?.channel.shareClear(),
    lookForMissing: () => beam.connection?.channel.lookForMissing(),
    async saveBeam(name) {
      const refusal = await beam.save(name)
      if (refusal === null) toaster.ok(t`Beam saved successfully!`)
      return refusal
    },
    keepBeam(time) {
      if (!beam.live?.keep(time)) toaster.bad(notConnected())
    },
    declineKeeping: () =>
      stores.keeping.setState((state) => reduceKeeping(state, { type: 'declined' }), true),
    arrangeForEveryone: (shared) => beam.connection?.places.share(shared),
    removeDevice(id) {
      if (!beam.live?.removeDevice(id)) toaster.bad(notConnected())
    },
  }
}
