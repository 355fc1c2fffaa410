/** The bytes of a transfer over time: for a plot, and for the average and the top speed. */

/** A plot needs no more steps. With more, two become one. */
const MOST_STEPS = 120
/** The first length of a step, in milliseconds. */
const STEP_MS = 500
/** A speed is that over so long at least, in milliseconds: over less it is chance. */
const MOMENT_MS = 1_000

export interface Flow {
  /** When it began, in milliseconds. */
  readonly began: number
  /** When it moved last, in milliseconds. */
  readonly moved: number
  /** Milliseconds of each step. */
  readonly step: number
  /** Bytes in each step since the beginning. */
  readonly steps: readonly number[]
}

export function beginFlow(now: number): Flow {
  return { began: now, moved: now, step: STEP_MS, steps: [] }
}

/** Adds bytes that moved since the last call. */
export function addToFlow(flow: Flow, bytes: number, now: number): Flow {
  if (bytes <= 0 || now < flow.moved) return flow
  const fitting = fitTo(flow, now)
  const { began, step } = fitting
  const steps = [...fitting.steps]
  const at = Math.floor((now - began) / step)
  while (steps.length <= at) steps.push(0)
  steps[at] = (steps[at] ?? 0) + bytes
  return { began, step, steps, moved: now }
}

/** Makes the steps longer until a time is in one of them. */
function fitTo(flow: Flow, now: number): Flow {
  let { step, steps } = flow
  while (now - flow.began >= step * MOST_STEPS) {
    step *= 2
    steps = pairs(steps)
  }
  return { ...flow, step, steps }
}

function pairs(steps: readonly number[]): readonly number[] {
  return Array.from(
    { length: Math.ceil(steps.length / 2) },
    (_, at) => (steps[2 * at] ?? 0) + (steps[2 * at + 1] ?? 0),
  )
}

/** Bytes that moved in all. */
export function flowBytes({ steps }: Flow): number {
  return steps.reduce((sum, bytes) => sum + bytes, 0)
}

/** Bytes a second from the beginning to the last byte, pauses included; null where it was too short to tell. */
export function averageSpeed(flow: Flow): number | null {
  const took = flow.moved - flow.began
  return took < STEP_MS ? null : (flowBytes(flow) * 1000) / took
}

/** Most bytes a second over a moment; null where it was too short to tell. */
export function topSpeed(flow: Flow): number | null {
  const known = speeds(flow)
  return known.length > 0 ? Math.max(...known) : null
}

/** Bytes a second over a moment that begins with each step. Steps that are not over do not count. */
export function speeds({ began, moved, step, steps }: Flow): readonly number[] {
  const span = Math.max(1, Math.round(MOMENT_MS / step))
  const over = Math.floor((moved - began) / step)
  return Array.from({ length: Math.max(0, over - span + 1) }, (_, at) => {
    const bytes = steps.slice(at, at + span).reduce((sum, part) => sum + part, 0)
    return (bytes * 1000) / (span * step)
  })
}
