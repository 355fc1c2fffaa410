/**
 * The time that a transfer still takes, so that a person can read it: from the rate of the last ten seconds, in steps,
 * and counted down without a step back for every small change.
 */

/** The rate is that of so long, in milliseconds. */
const AVERAGED_MS = 10_000
/** Over less nothing is said, in milliseconds. */
const SETTLED_MS = 2_000
/** Shortest time between two samples, in milliseconds. */
const SAMPLE_MS = 200
/** A longer time is told only when it is so many steps longer. Within that, chance moves it. */
const STEPS_BACK = 1.5
/** Up to so many seconds, a time is told in steps of so many. */
const STEPS: readonly { readonly upTo: number; readonly step: number }[] = [
  { upTo: 10, step: 1 },
  { upTo: 60, step: 5 },
  { upTo: 600, step: 60 },
  { upTo: 3_600, step: 300 },
]
const LONGEST_STEP = 600

interface Sample {
  /** Milliseconds. */
  readonly at: number
  /** Bytes that are still to come. */
  readonly left: number
}

export interface Estimate {
  /** The samples of the last seconds, oldest first. */
  readonly samples: readonly Sample[]
  /** Seconds to tell; null while nothing can be said. */
  readonly told: number | null
}

/** Nothing moves, so nothing is known. */
export const NO_ESTIMATE: Estimate = { samples: [], told: null }

/** Takes a look at a transfer that moves. Returns the same estimate when too little time has passed. */
export function nextEstimate(estimate: Estimate, left: number, now: number): Estimate {
  const last = estimate.samples.at(-1)
  if (last && now - last.at < SAMPLE_MS) return estimate
  // More to come, as when another file of a batch begins, says nothing about the rate.
  const more = last ? Math.max(0, left - last.left) : 0
  const before = more === 0 ? estimate.samples : estimate.samples.map((s) => ({ ...s, left: s.left + more }))
  const samples = [...before.filter(({ at }) => now - at <= AVERAGED_MS), { at: now, left }]
  return { samples, told: toldAfter(estimate.told, secondsLeft(samples)) }
}

function secondsLeft(samples: readonly Sample[]): number | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || last.at - first.at < SETTLED_MS || first.left <= last.left) return null
  return (last.left * (last.at - first.at)) / (first.left - last.left) / 1000
}

function toldAfter(told: number | null, seconds: number | null): number | null {
  if (seconds === null) return told
  const next = roundUp(seconds)
  if (told === null || next < told) return next
  return seconds > told + STEPS_BACK * stepOf(told) ? next : told
}

function stepOf(seconds: number): number {
  return STEPS.find(({ upTo }) => seconds <= upTo)?.step ?? LONGEST_STEP
}

function roundUp(seconds: number): number {
  const step = stepOf(seconds)
  return Math.max(1, Math.ceil(seconds / step) * step)
}
