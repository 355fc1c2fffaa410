/** The server's news of the beam itself: whether it is saved or kept, its name, and this device's level in it. */
import { t } from '@lingui/core/macro'
import { formatUntil } from '../features/session/until'
import type { Kept, SavedBeam, ServerMessage } from '../protocol/bindings'
import type { BeamAccess } from '../stores/beam-access'
import type { BeamSession } from '../stores/beam-session'
import { reduceBeams } from '../stores/beams'
import { type KeepingEvent, reduceKeeping } from '../stores/keeping'
import type { Stores } from '../stores/stores'
import type { Toast } from '../stores/toasts'
import { updateSession } from './session-storage'
import type { Toaster } from './toaster'

type News = Extract<
  ServerMessage,
  { type: 'welcome' | 'beam_saved' | 'beam_renamed' | 'access_changed' | 'kept' }
>

/** Why an action failed while there is no connection. */
export const notConnected = () => t`Not connected. Try again in a moment.`

export class AccessNews {
  readonly #stores: Stores
  readonly #toaster: Toaster
  /** The toast that tells this device's level. */
  #level: Toast['id'] | null = null
  /** Resolves the pending `save`; null when none is pending. */
  #saving: ((refusal: string | null | Promise<string>) => void) | null = null
  /** Whether the server was asked to save the beam and has not said since how that went, as where the socket was gone before. */
  #isAsked = false
  /** Milliseconds by which the server's clock is behind this device's. */
  #behind = 0

  constructor(stores: Stores, toaster: Toaster) {
    this.#stores = stores
    this.#toaster = toaster
  }

  /**
   * Asks the server to save the beam. Resolves to null once it is saved, else to the reason why not. One call at a
   * time.
   */
  save(send: () => boolean): Promise<string | null> {
    this.#end(notConnected())
    return new Promise((resolve) => {
      this.#saving = resolve
      const isSent = send()
      // One that was sent before may have been done all the same.
      this.#isAsked ||= isSent
      if (!isSent) this.#end(notConnected())
    })
  }

  /** What the server says of the beam answers a `save`, also of an earlier socket. Returns whether it has saved it as it was asked here. */
  answersSave(saved: SavedBeam | null): boolean {
    const isMine = this.#isAsked && saved?.role === 'owner'
    this.#isAsked = false
    return isMine
  }

  /** The socket is gone, so a pending `save` will not be answered. */
  lost(): void {
    this.#end(notConnected())
  }

  /** This device has no access any more, so its last level is no news. */
  shutOut(): void {
    if (this.#level !== null) this.#toaster.dismiss(this.#level)
    this.#level = null
  }

  /** Takes an error from the server. Returns true when it answers a pending `save`. */
  refused(detail: Promise<string>): boolean {
    if (!this.#saving) return false
    this.#isAsked = false
    this.#end(detail)
    return true
  }

  hear(message: News): void {
    switch (message.type) {
      case 'welcome': {
        const { saved, creator, expires_at, now, kept, forgotten = false } = message.message
        this.#behind = Date.now() - now
        this.#tellKeeping({ type: 'welcomed', kept: this.#byOwnClock(kept), isForgotten: forgotten })
        // The remaining time is computed from the server's clock, because this device's clock may be wrong.
        this.#keep({ expiresAt: expires_at === null ? null : expires_at + this.#behind })
        return this.#set(saved ? { kind: 'saved', saved } : { kind: 'unsaved', creator })
      }
      case 'beam_saved':
        this.#keep({ expiresAt: null })
        this.#tellKeeping({ type: 'changed', kept: null })
        this.#set({ kind: 'saved', saved: message.message })
        return this.#end(null)
      case 'beam_renamed':
        return this.#renamed(message.message)
      case 'access_changed':
        return this.#changed(message.message)
      case 'kept':
        return this.#keptChanged(message.message)
    }
  }

  /** The beam lives at least as long as it is kept. */
  #keptChanged(message: Kept | null): void {
    const kept = this.#byOwnClock(message)
    this.#tellKeeping({ type: 'changed', kept })
    if (kept === null) {
      this.#toaster.info(t`This beam is no longer kept.`)
      return
    }
    const { session } = this.#stores
    const state = session.getState()
    const expiresAt = state.status === 'set' ? (state.session.expiresAt ?? 0) : 0
    this.#keep({ expiresAt: Math.max(expiresAt, kept.until) })
    const until = formatUntil(kept.until, Date.now())
    this.#toaster.ok(t`Kept until ${until}`)
  }

  #byOwnClock(kept: Kept | null | undefined): { until: number; by: Kept['by'] } | null {
    return kept ? { ...kept, until: kept.until + this.#behind } : null
  }

  #tellKeeping(event: KeepingEvent): void {
    this.#stores.keeping.setState((state) => reduceKeeping(state, event), true)
  }

  #end(refusal: string | null | Promise<string>): void {
    this.#saving?.(refusal)
    this.#saving = null
  }

  #changed(saved: SavedBeam): void {
    const before = this.#stores.access.getState()
    this.#set({ kind: 'saved', saved })
    const couldOnlyRead = before.kind === 'saved' && before.saved.role === 'read'
    const canOnlyRead = saved.role === 'read'
    if (couldOnlyRead === canOnlyRead) return
    this.#level = this.#toaster.info(
      canOnlyRead ? t`You can only read in this beam now.` : t`You can share in this beam now.`,
    )
  }

  #renamed(name: string): void {
    const access = this.#stores.access.getState()
    if (access.kind === 'saved') this.#set({ kind: 'saved', saved: { ...access.saved, beam_name: name } })
  }

  #set(access: BeamAccess): void {
    this.#stores.access.setState(access, true)
    if (access.kind !== 'saved') return
    const session = this.#keep({ beamName: access.saved.beam_name })
    if (!session) return
    const renamed = { type: 'renamed', id: session.beamId, name: session.beamName } as const
    this.#stores.beams.setState((beams) => reduceBeams(beams, renamed), true)
  }

  /** Changes the session, in the store and for the next load of the page. */
  #keep(change: Partial<BeamSession>): BeamSession | null {
    const { session: store } = this.#stores
    const state = store.getState()
    if (state.status !== 'set') return null
    const session = { ...state.session, ...change }
    updateSession(session.beamId, session)
    store.setState({ status: 'set', session }, true)
    return session
  }
}
