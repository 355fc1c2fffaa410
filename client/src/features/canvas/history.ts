/** The undo history of the canvas: moves and deletions. */
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import type { Restore } from '../actions'

export interface Move {
  readonly id: ItemId
  readonly from: Point
  readonly to: Point
}

export type Step =
  | { readonly kind: 'moved'; readonly moves: readonly Move[] }
  | { readonly kind: 'deleted'; readonly ids: readonly ItemId[]; readonly restore: Restore }

export interface History {
  readonly done: readonly Step[]
  readonly undone: readonly Step[]
}

/** Steps kept; more than a person would undo. */
const MOST_STEPS = 100

export const NO_HISTORY: History = { done: [], undone: [] }

/**
 * Adds a step and clears the steps that were undone. A `repeated` move, by a key that is held down, is merged into the
 * move before it.
 */
export function recorded({ done }: History, step: Step, repeated = false): History {
  const last = done.at(-1)
  const joined = repeated && last && join(last, step)
  return { done: joined ? [...done.slice(0, -1), joined] : [...done, step].slice(-MOST_STEPS), undone: [] }
}

function join(first: Step, second: Step): Step | null {
  if (first.kind !== 'moved' || second.kind !== 'moved') return null
  const starts = new Map(first.moves.map(({ id, from }) => [id, from]))
  if (starts.size !== second.moves.length || !second.moves.every(({ id }) => starts.has(id))) return null
  return {
    kind: 'moved',
    moves: second.moves.map((move) => ({ ...move, from: starts.get(move.id) ?? move.from })),
  }
}

/** Returns the step to undo and the history after it; null when there is none. */
export function undo({ done, undone }: History): { history: History; step: Step } | null {
  const step = done.at(-1)
  return step ? { step, history: { done: done.slice(0, -1), undone: [...undone, step] } } : null
}

/** Returns the step to redo and the history after it; null when there is none. */
export function redo({ done, undone }: History): { history: History; step: Step } | null {
  const step = undone.at(-1)
  return step ? { step, history: { done: [...done, step], undone: undone.slice(0, -1) } } : null
}

/** Replaces the restore function of a deletion that was redone. */
export function withRestore({ done, undone }: History, restore: Restore): History {
  const last = done.at(-1)
  return last?.kind === 'deleted'
    ? { done: [...done.slice(0, -1), { ...last, restore }], undone }
    : { done, undone }
}
