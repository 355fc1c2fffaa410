/**
 * Decides whether the server's relay carries beside the direct links to a device (R6). It is one connection of TCP, which
 * on some paths carries many times what data channels do: where packets are lost, and in networks that slow UDP down. On
 * a narrow line it only takes from them, and what it carries goes over the operator's line twice. So a trial shows what it
 * brings.
 */
import type { RelayUse } from './bindings'

/**
 * A direct way that carries less is a very slow one, in bytes a millisecond. It is 1 Mbit/s, to which networks that slow
 * UDP down commonly hold it. What a bundle carries on a distant path that loses packets is far above.
 */
const SLOW_RATE = 128
/** A way that is no longer so slow carries this many times as much: it does not come and go at the bound. */
const RECOVERED = 2
/** Everything together has to carry so many times what the direct links carried alone. */
const GAIN = 1.25
/** The direct links are measured for so long before a trial, in milliseconds. They begin slowly. */
const MEASURED_MS = 2_000
/** What a trial takes, in milliseconds. The relay begins slowly too. */
const TRIAL_MS = 3_000
/** A trial is made when at least so much is left to come, in milliseconds: it has to pay. */
const WORTH_MS = 5_000
/** A relay that carries less than this part of the whole has become useless. */
const LEAST_SHARE = 0.1
/** Pause after a trial that brought nothing, in milliseconds. It doubles with each, up to the second. */
const PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 480_000
/** A round trip that is so many times longer or shorter is that of another path, on which nothing was tried yet. */
const OTHER_PATH = 3
/** Weight of the newest rate in the average. */
const NEWEST = 0.25

export interface RelayView {
  readonly use: RelayUse | null
  /** Bytes that are still to come; 0 when nothing is under way. */
  readonly left: number
  /** Bytes a millisecond over the direct links together, and over the relay. */
  readonly direct: number
  readonly relay: number
  /** Round trip of the direct links in milliseconds; null while it is not known. */
  readonly roundTrip: number | null
  /** Whether the bundle tries another number of connections, whose gain or loss would be taken for the relay's. */
  readonly isTrying: boolean
}

type State =
  | { readonly at: 'apart' }
  /** The direct links are measured. */
  | { readonly at: 'measuring'; readonly since: number }
  /** The relay carries too. `alone` is what the direct links carried before, in bytes a millisecond. */
  | { readonly at: 'trying'; readonly since: number; readonly alone: number }
  | { readonly at: 'joined'; readonly since: number }

export class RelayJoining {
  #state: State = { at: 'apart' }
  /** Averages, in bytes a millisecond. */
  #direct = 0
  #relay = 0
  /** No trial before this time, in milliseconds, unless the path has become another one. */
  #pausedUntil = 0
  #pauseMs = PAUSE_MS
  /** The round trip of the path on which the last trial was. */
  #triedAt: number | null = null

  get isJoined(): boolean {
    return this.#state.at === 'trying' || this.#state.at === 'joined'
  }

  /** Returns whether the relay is to carry from now on. Called several times a second while anything moves. */
  next(view: RelayView, now: number): boolean {
    const isWanted = view.use === 'boost' || (view.use === 'fallback' && this.#isSlow(view))
    if (view.left === 0 || !isWanted) this.#leaves()
    else this.#looks(view, now)
    return this.isJoined
  }

  #isSlow({ direct }: RelayView): boolean {
    return this.#state.at === 'apart' ? direct < SLOW_RATE : this.#direct < RECOVERED * SLOW_RATE
  }

  #leaves(): void {
    this.#state = { at: 'apart' }
    this.#direct = 0
    this.#relay = 0
  }

  #looks(view: RelayView, now: number): void {
    this.#direct += NEWEST * (view.direct - this.#direct)
    this.#relay += NEWEST * (view.relay - this.#relay)
    const state = this.#state
    switch (state.at) {
      case 'apart':
        if (this.#mayTry(view, now)) this.#state = { at: 'measuring', since: now }
        return
      case 'measuring':
        if (view.isTrying) this.#state = { at: 'measuring', since: now }
        else if (now - state.since >= MEASURED_MS) this.#tries(view, now)
        return
      case 'trying':
        if (now - state.since >= TRIAL_MS) this.#judges(state.alone, now)
        return
      case 'joined':
        if (now - state.since >= TRIAL_MS && this.#relay < LEAST_SHARE * (this.#direct + this.#relay))
          this.#pauses(now)
    }
  }

  #mayTry({ roundTrip }: RelayView, now: number): boolean {
    return now >= this.#pausedUntil || this.#isOnAnotherPath(roundTrip)
  }

  #isOnAnotherPath(roundTrip: number | null): boolean {
    const known = this.#triedAt
    if (known === null || roundTrip === null) return false
    return roundTrip > OTHER_PATH * known || roundTrip < known / OTHER_PATH
  }

  #tries({ left, roundTrip }: RelayView, now: number): void {
    if (left < this.#direct * WORTH_MS) return
    this.#triedAt = roundTrip
    this.#state = { at: 'trying', since: now, alone: this.#direct }
  }

  #judges(alone: number, now: number): void {
    if (this.#direct + this.#relay < GAIN * alone) return this.#pauses(now)
    this.#pauseMs = PAUSE_MS
    this.#state = { at: 'joined', since: now }
  }

  #pauses(now: number): void {
    this.#pausedUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs)
    this.#leaves()
  }
}
