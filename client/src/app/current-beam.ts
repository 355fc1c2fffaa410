/** The beam that this page is in: how it is entered, made, joined and, when its link is renewed, followed. */
import type { Actions } from '../features/actions'
import { findBeamId } from '../protocol/beam-link'
import { BEAM_LIFETIME_MS, type Beam, type BeamId } from '../protocol/bindings'
import type { BeamSession } from '../stores/beam-session'
import { reduceCanvas } from '../stores/canvas'
import { createBeam } from '../transport/http'
import type { LiveBeam, LiveBeamStatus } from '../transport/live-beam'
import { NOT_CONNECTED } from './access-news'
import { BeamConnection } from './beam-connection'
import type { PageContext } from './context'
import { isSeen } from './page-life'
import { PatientStatus } from './patient-status'
import { moveDeviceToken, saveSession, updateSession } from './session-storage'

const UNTITLED = 'Untitled Beam'

export class CurrentBeam {
  readonly #context: PageContext
  readonly #onItems: () => void
  #connection: BeamConnection | null = null
  #patience: PatientStatus | null = null

  /** `onItems` is called when items may be new: files among them may be received by themselves. */
  constructor(context: PageContext, onItems: () => void) {
    this.#context = context
    this.#onItems = onItems
  }

  /** The live channel, if there is one. */
  get live(): LiveBeam | null {
    return this.#connection?.live ?? null
  }

  /** The channel and the links of the beam that the page is in. */
  get connection(): BeamConnection | null {
    return this.#connection
  }

  /** Leaves the beam that the page is in for another one. */
  enter(session: BeamSession, onStatus: (status: LiveBeamStatus) => void = () => {}): void {
    const { connection } = this.#context.stores
    this.#connection?.leave()
    this.#patience?.end()
    saveSession(session)
    this.#context.stores.session.setState({ status: 'set', session }, true)
    const patience = new PatientStatus((shown) => connection.setState(shown, true), isSeen)
    this.#patience = patience
    this.#connection = new BeamConnection(session, this.#context, {
      onStatus(heard) {
        patience.hear(heard)
        onStatus(heard)
      },
      onItems: this.#onItems,
    })
  }

  /** Makes a new beam and enters it. */
  async create(): Promise<void> {
    const { session } = this.#context.stores
    this.wait()
    try {
      const { beam_id, beam_key, created_at, expires_at } = await createBeam()
      const expiresAt = Date.now() + expires_at - created_at
      this.enter({ beamId: beam_id, beamKey: beam_key, beamName: '', expiresAt })
    } catch {
      session.setState({ status: 'failed' }, true)
    }
  }

  /** Something is going on that ends in a beam. */
  wait(): void {
    this.#context.stores.session.setState({ status: 'creating' }, true)
  }

  /** Enters a beam by link, code or id; nothing happens when the page is in it already. */
  join(beamId: BeamId): void {
    if (this.#session()?.beamId !== beamId) this.enter(joinedSession(beamId))
  }

  /**
   * A beam has another id (H28). A page that is in it goes along as the same device, with everything that is here, and without
   * the key: that was for the old id.
   */
  renewed(old: BeamId, { beam_id, beam_name }: Beam): void {
    const session = this.#session()
    if (session?.beamId !== old) return
    moveDeviceToken(old, beam_id)
    this.#context.stores.canvas.setState(
      (state) => reduceCanvas(state, { type: 'moved', beam: beam_id }),
      true,
    )
    const renewed = { ...session, beamId: beam_id, beamKey: null, beamName: beam_name }
    updateSession(old, renewed)
    this.#context.stores.session.setState({ status: 'set', session: renewed }, true)
    this.#connection?.move(beam_id, null)
  }

  /** Takes the beam into the account. Resolves to null once it is saved, else to why it is not. */
  save(name: string): Promise<string | null> {
    return this.#connection?.save(name) ?? Promise.resolve(NOT_CONNECTED)
  }

  /** Joins once more, as whoever is logged in now. */
  rejoin(): void {
    this.live?.rejoin()
  }

  /** Looks after the channel at once. */
  wake(): void {
    this.live?.wake()
  }

  /** The page is seen again. */
  seen(): void {
    this.#patience?.seen()
  }

  #session(): BeamSession | null {
    const state = this.#context.stores.session.getState()
    return state.status === 'set' ? state.session : null
  }
}

/** A session in a beam that was joined by link, code or id. How long it lives, the server says when the page is in. */
export function joinedSession(beamId: BeamId): BeamSession {
  return { beamId, beamKey: null, beamName: UNTITLED, expiresAt: Date.now() + BEAM_LIFETIME_MS }
}

type BeamActions = Pick<Actions, 'newBeam' | 'joinBeam' | 'reconnect' | 'saveBeam' | 'removeDevice'>

/** What a person can do with the beam as a whole. */
export function createBeamActions(beam: CurrentBeam, { toaster }: Pick<PageContext, 'toaster'>): BeamActions {
  return {
    newBeam: () => beam.create(),
    joinBeam(text) {
      const beamId = findBeamId(text)
      if (!beamId) return false
      beam.join(beamId)
      toaster.ok('Joined Beam successfully')
      return true
    },
    reconnect: () => beam.wake(),
    async saveBeam(name) {
      const refusal = await beam.save(name)
      if (refusal === null) toaster.ok('Beam saved successfully!')
      return refusal
    },
    removeDevice(id) {
      if (!beam.live?.removeDevice(id)) toaster.bad(NOT_CONNECTED)
    },
  }
}
