/**
 * Decides whether the server's relay carries beside the direct links to a device (R6). It is one connection of TCP, which
 * on some paths carries many times what data channels do: where packets are lost, and in networks that slow UDP down. On
 * a narrow line it only takes from them, and what it carries goes over the operator's line twice. So trials show what it
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
/** On shorter ways data channels carry as much as both browsers can handle, in milliseconds. */
const SHORTEST_ROUND_TRIP_MS = 4
/** A trial with the relay has to bring this many times the rate of before, and one without it has to keep this part. */
const GAIN = 1.25
const KEPT = 0.9
/** A relay that carries this part of the whole is not tried without, and one that carries less than the second is useless. */
const MAIN_SHARE = 0.5
const LEAST_SHARE = 0.1
/** The links are measured for so long before a trial, and in it, in milliseconds. They begin slowly. */
const MEASURED_MS = 2_000
const TRIAL_MS = 3_000
/** A trial is made when at least so much is left to come, in milliseconds: it has to pay. */
const WORTH_MS = 5_000
/** Pause after a trial that changed nothing, in milliseconds. It doubles with each, up to the second. */
const PAUSE_MS = 30_000
const LONGEST_PAUSE_MS = 480_000
/** A round trip that is so many times longer or shorter is that of another path, on which nothing was tried yet. */
const OTHER_PATH = 3
/** Weight of the newest rate in the average. */
const NEWEST = 0.25

export interface RelayView {
  /** Where the operator wants the relay; null while the server cannot be reached. */
  readonly use: RelayUse | null
  /** Bytes that are still to come; 0 when nothing is under way. */
  readonly left: number
  /** Bytes a millisecond over the direct links together, and over the relay. */
  readonly direct: number
  readonly relay: number
  /** Round trip of the direct links when nothing waits on them, in milliseconds; null while it is not known. */
  readonly roundTrip: number | null
  /** Whether the bundle tries another number of connections, whose gain or loss would be taken for the relay's. */
  readonly isTrying: boolean
}

interface Trial {
  readonly since: number
  /** Bytes a millisecond that everything together has to carry. */
  readonly atLeast: number
}

export class RelayJoining {
  #isJoined = false
  /** Averages, in bytes a millisecond. */
  #direct = 0
  #relay = 0
  /** Whether the links are being measured for this transfer. */
  #hasBegun = false
  #trial: Trial | null = null
  /** No trial before the first time, in milliseconds, nor before the second unless the path has become another one. */
  #measuredAt = 0
  #pausedUntil = 0
  #pauseMs = PAUSE_MS
  /** The round trip of the path on which the last trial was. */
  #triedAt: number | null = null

  get isJoined(): boolean {
    return this.#isJoined
  }

  /** Whether it tries to carry, or to do without. */
  get isTrying(): boolean {
    return this.#trial !== null
  }

  /**
   * Whether the relay carries the most, or may soon. More direct links would then cost both devices more than they bring:
   * 16 of them, which carry less than the relay on a path that loses packets, keep two processors busy.
   */
  isMain(now: number): boolean {
    return this.#isJoined && (now < this.#measuredAt || this.#share >= MAIN_SHARE)
  }

  /** Returns whether the relay is to carry from now on. Called several times a second while anything moves. */
  next(view: RelayView, now: number): boolean {
    if (view.left === 0 || !this.#isWanted(view)) this.#ends()
    else if (view.roundTrip !== null) this.#looks(view, view.roundTrip, now)
    return this.#isJoined
  }

  #isWanted({ use, direct, roundTrip }: RelayView): boolean {
    if (use === 'boost') {
      const shortest = this.#hasBegun ? SHORTEST_ROUND_TRIP_MS / 2 : SHORTEST_ROUND_TRIP_MS
      return roundTrip !== null && roundTrip >= shortest
    }
    if (use !== 'fallback') return false
    if (!this.#hasBegun) return direct < SLOW_RATE
    return this.#direct < SLOW_RATE * (this.#isJoined || this.isTrying ? RECOVERED : 1)
  }

  #ends(): void {
    this.#isJoined = false
    this.#hasBegun = false
    this.#trial = null
  }

  #looks(view: RelayView, roundTrip: number, now: number): void {
    if (!this.#hasBegun) this.#begins(view.use === 'boost' && now >= this.#pausedUntil, now)
    this.#direct += NEWEST * (view.direct - this.#direct)
    this.#relay += NEWEST * (view.relay - this.#relay)
    if (view.isTrying) this.#measuredAt = now + MEASURED_MS
    if (this.#trial) this.#judges(this.#trial, now)
    else if (now >= this.#measuredAt && this.#mayTry(view, roundTrip, now)) this.#tries(roundTrip, now)
  }

  /** With `boost` the relay carries from the start: it is fast long before the direct links are. */
  #begins(isJoined: boolean, now: number): void {
    this.#hasBegun = true
    this.#isJoined = isJoined
    this.#direct = 0
    this.#relay = 0
    this.#measuredAt = now + (isJoined ? TRIAL_MS : MEASURED_MS)
  }

  get #share(): number {
    return this.#isJoined ? this.#relay / Math.max(this.#direct + this.#relay, Number.MIN_VALUE) : 0
  }

  #mayTry({ left }: RelayView, roundTrip: number, now: number): boolean {
    if (this.#share >= MAIN_SHARE || left < (this.#direct + this.#relay) * WORTH_MS) return false
    const known = this.#triedAt
    const isOther = known !== null && (roundTrip > OTHER_PATH * known || roundTrip < known / OTHER_PATH)
    return now >= this.#pausedUntil || isOther || (this.#isJoined && this.#share < LEAST_SHARE)
  }

  #tries(roundTrip: number, now: number): void {
    const rate = this.#direct + this.#relay
    this.#trial = { since: now, atLeast: rate * (this.#isJoined ? KEPT : GAIN) }
    this.#triedAt = roundTrip
    this.#isJoined = !this.#isJoined
    this.#relay = 0
  }

  #judges({ since, atLeast }: Trial, now: number): void {
    if (now - since < TRIAL_MS) return
    const isBetter = this.#direct + this.#relay >= atLeast
    if (!isBetter) this.#isJoined = !this.#isJoined
    this.#trial = null
    this.#measuredAt = now + MEASURED_MS
    if (isBetter) this.#pauseMs = PAUSE_MS
    this.#pausedUntil = now + this.#pauseMs
    this.#pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * this.#pauseMs)
  }
}
