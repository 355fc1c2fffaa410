/**
 * Decides how many connections the bundle to a device has. One connection carries about 64 KiB in a round trip, because
 * browsers read its socket through a buffer of that size and SCTP sends its window in one burst; further connections
 * have a socket and a window of their own. A trial of more of them shows whether they bring anything.
 */

import type { Power } from './power'

/** Most connections between two devices. On a long way 32 measured no more than 16. */
export const MOST_CONNECTIONS = 16
/** The same on a phone that runs on its battery, and where data are to be saved: each connection costs both. */
const MOST_SPARING = 4
/** A trial of more has twice as many connections, and as many times more as this fits the round trip, in milliseconds. */
const STEP_MS = 3
/** A trial of more has to bring this many times the rate. */
const GAIN = 1.1
/**
 * What one connection carries in a round trip when its window holds it up, in bytes. What carries more is held up by
 * nothing, and what carries less by a narrow way, on which further connections only take from each other.
 */
const MOST_PER_ROUND_TRIP = 128 * 1024
const LEAST_PER_ROUND_TRIP = 8 * 1024
/** A way that carries less has one connection, in bytes a millisecond. */
const LEAST_RATE = 256
/** The same for a bundle under way, for each connection. */
const LEAST_RATE_OF_EACH = 16
/** On shorter ways one connection carries as much as both browsers can handle, in milliseconds. */
const SHORTEST_ROUND_TRIP_MS = 4
/** More connections need so long to pay, in milliseconds. */
const WORTH_MS = 2_000
/**
 * After so many round trips the first connection has left its slow start (RFC 9260, section 7.2.1) and shows what it
 * carries. More connections are not tried before.
 */
const FIRST_LOOK_ROUND_TRIPS = 6
/**
 * On a shorter way than this, in milliseconds, the first look is later. There is little to gain, and a machine that is busy
 * with the beginning answers as late as if it were far away.
 */
const FAR_MS = 20
const FIRST_LOOK_NEAR_MS = 800
/** What a trial takes at least, in milliseconds, and in round trips: a connection begins slowly. */
const TRIAL_MS = 800
const TRIAL_ROUND_TRIPS = 16
/**
 * A trial that has not brought enough by then has failed, in milliseconds. Many connections that begin together on a path
 * with a small queue take each other's packets at first.
 */
const FAILED_MS = 3_000
/** The same for a trial of fewer. They are open already, and each second of it costs what the others carried. */
const FAILED_FEWER_MS = 1_500
/** A trial does not wait longer for its connections, in milliseconds. */
const OPENING_MS = 8_000
/** Pause after a trial that brought nothing, in milliseconds. It doubles with each, up to the second. */
const SETTLED_MS = 20_000
const LONGEST_SETTLED_MS = 320_000
/**
 * A path on which packets wait longer may be full, in milliseconds. LEDBAT takes at most 100 ms (RFC 6817, section 2.5),
 * which small queues never reach. A trial of half as many connections shows whether fewer fill it as well, and leave room
 * for a call or a film of the same household.
 */
const FULL_MS = 60
/** Such a trial has to keep this part of the rate. */
const KEPT = 0.95
/** A round trip that is so many times longer or shorter is that of another path, on which nothing was tried yet. */
const OTHER_PATH = 3
/** A bundle of which nothing was wanted for so long has one connection again, in milliseconds. */
const IDLE_MS = 10_000
/** Weight of the newest rate in the average. */
const NEWEST = 0.5

/** Returns how many connections a bundle of this device may have (L6). A phone that says nothing runs on its battery. */
export function mostConnections({ savesData, isCharging, isTouched }: Power): number {
  const isSparing = savesData || (isTouched && isCharging !== true)
  return isSparing ? MOST_SPARING : MOST_CONNECTIONS
}

export interface BundleView {
  /** Bytes that are still to come; 0 when nothing is under way. */
  readonly left: number
  /** Bytes a millisecond over all connections. */
  readonly rate: number
  /** Milliseconds; null while it is not known. */
  readonly roundTrip: number | null
  /** Milliseconds of the round trip for which packets wait on the path. */
  readonly queuing: number
  /** How many connections are open. */
  readonly open: number
  /** How many there may be. */
  readonly most: number
  /** Whether the relay carries the most, so that no more of them are to be tried. */
  readonly isBeside: boolean
  /** Whether the relay tries to join or to leave. What that changes would be taken for the gain or loss of a trial here. */
  readonly isRelayTrying: boolean
}

interface Trial {
  /** Connections before it, and what they carried. */
  readonly size: number
  readonly rate: number
  /** How many times that rate it has to reach. */
  readonly atLeast: number
  readonly began: number
  /** When all of its connections were open. */
  opened: number | null
}

export class Bundle {
  #size = 1
  /** How many connections the last transfer needed. */
  #needed = 1
  #rate = 0
  #trial: Trial | null = null
  #idleSince: number | null = 0
  /** When something was wanted again after the bundle was idle, in milliseconds. */
  #begunAt = 0
  /** No trial of more connections before this time, in milliseconds, and none of fewer before the other. */
  #settledUntil = 0
  #crowdedUntil = 0
  #settledMs = SETTLED_MS
  /** The round trip of the path on which the last trial was. */
  #settledAt: number | null = null
  /** Since when fewer are open than there should be, in milliseconds. */
  #lackingSince: number | null = null

  get size(): number {
    return this.#size
  }

  /** Whether it tries another number of connections. */
  get isTrying(): boolean {
    return this.#trial !== null
  }

  /** Returns how many connections the bundle is to have. Called several times a second while anything moves. */
  next(view: BundleView, now: number): number {
    if (view.left === 0) return this.#idles(now)
    if (this.#size > view.most) this.#shrinks(view.most, now)
    if (this.#idleSince !== null) this.#begins(view, now)
    this.#rate = this.#rate === 0 ? view.rate : this.#rate * (1 - NEWEST) + view.rate * NEWEST
    if (this.#trial) this.#judges(this.#trial, view, now)
    else this.#gives(view, now)
    if (!this.#trial && this.#mayTry(view, now)) {
      if (this.#isCrowded(view, now)) this.#triesFewer(view, now)
      else if (this.#isHeldUp(view, now)) this.#triesMore(view, now)
    }
    return this.#size
  }

  #idles(now: number): number {
    this.#idleSince ??= now
    if (this.#trial) this.#size = this.#trial.size
    this.#trial = null
    if (now - this.#idleSince > IDLE_MS) this.#size = 1
    return this.#size
  }

  /** The device has less to spend than before. What a trial brought with more says nothing about fewer. */
  #shrinks(most: number, now: number): void {
    this.#trial = null
    this.#size = most
    this.#settledUntil = now + TRIAL_MS
  }

  /** Files are under way again: with as many connections as the last ones needed. */
  #begins({ most, isBeside }: BundleView, now: number): void {
    this.#idleSince = null
    this.#rate = 0
    if (!isBeside) this.#size = Math.min(most, Math.max(this.#size, this.#needed))
    this.#begunAt = now
    // What the last files needed is likely right.
    this.#settledUntil = now + (this.#size > 1 ? TRIAL_MS : 0)
  }

  #mayTry({ left, roundTrip, open, isRelayTrying }: BundleView, now: number): boolean {
    if (isRelayTrying || roundTrip === null || open < this.#size) return false
    const firstLook = roundTrip < FAR_MS ? FIRST_LOOK_NEAR_MS : FIRST_LOOK_ROUND_TRIPS * roundTrip
    return now - this.#begunAt >= firstLook && left > this.#rate * WORTH_MS
  }

  /** Whether fewer connections may carry as much. */
  #isCrowded({ queuing }: BundleView, now: number): boolean {
    return queuing > FULL_MS && this.#size > 1 && now >= this.#crowdedUntil
  }

  #isOnAnotherPath(roundTrip: number): boolean {
    const known = this.#settledAt
    return known !== null && (roundTrip > OTHER_PATH * known || roundTrip < known / OTHER_PATH)
  }

  /** Whether more connections may carry more. */
  #isHeldUp({ roundTrip, open, most, queuing, isBeside }: BundleView, now: number): boolean {
    if (isBeside || this.#size >= most || roundTrip === null) return false
    // A busy machine answers late, however short the way to it is.
    if (roundTrip - queuing < SHORTEST_ROUND_TRIP_MS) return false
    if (queuing > FULL_MS || (now < this.#settledUntil && !this.#isOnAnotherPath(roundTrip))) return false
    const ofEach = (this.#rate * roundTrip) / open
    return this.#rate > LEAST_RATE && ofEach < MOST_PER_ROUND_TRIP && ofEach > LEAST_PER_ROUND_TRIP
  }

  #triesMore(view: BundleView, now: number): void {
    const step = Math.max(2, Math.ceil((view.roundTrip ?? 0) / STEP_MS))
    this.#tries(Math.min(view.most, this.#size * step), GAIN, view, now)
  }

  #triesFewer(view: BundleView, now: number): void {
    this.#tries(Math.ceil(this.#size / 2), KEPT, view, now)
  }

  #tries(size: number, atLeast: number, { roundTrip }: BundleView, now: number): void {
    this.#trial = { size: this.#size, rate: this.#rate, atLeast, began: now, opened: null }
    this.#settledAt = roundTrip
    this.#size = size
  }

  /** Has fewer connections where the others do not open, or where the way has become narrow. */
  #gives({ open }: BundleView, now: number): void {
    if (open >= this.#size) this.#lackingSince = null
    else this.#lackingSince ??= now
    const isLacking = this.#lackingSince !== null && now - this.#lackingSince > OPENING_MS
    const isNarrow =
      this.#size > 1 && now > this.#settledUntil && this.#rate < LEAST_RATE_OF_EACH * this.#size
    if (!isLacking && !isNarrow) return
    this.#size = isNarrow ? 1 : Math.max(1, Math.min(open, this.#size))
    this.#lackingSince = null
    this.#settles(now)
  }

  #settles(now: number): void {
    this.#settledUntil = now + this.#settledMs
    this.#settledMs = Math.min(LONGEST_SETTLED_MS, 2 * this.#settledMs)
  }

  #judges(trial: Trial, { open, roundTrip }: BundleView, now: number): void {
    if (open >= this.#size || now - trial.began > OPENING_MS) trial.opened ??= now
    if (trial.opened === null) return
    const lasted = now - trial.opened
    const hasFailed = this.#rate < trial.atLeast * trial.rate
    const isFewer = this.#size < trial.size
    if (lasted < Math.max(TRIAL_MS, TRIAL_ROUND_TRIPS * (roundTrip ?? 0))) return
    if (hasFailed && lasted < (isFewer ? FAILED_FEWER_MS : FAILED_MS)) return
    this.#trial = null
    this.#concludes(trial, hasFailed, now)
  }

  #concludes({ size }: Trial, hasFailed: boolean, now: number): void {
    const isFewer = this.#size < size
    if (hasFailed) {
      this.#size = size
      if (isFewer) this.#crowdedUntil = now + this.#settledMs
      this.#settles(now)
    } else if (isFewer) this.#settledUntil = now + SETTLED_MS
    else this.#settledMs = SETTLED_MS
    this.#needed = this.#size
  }
}
