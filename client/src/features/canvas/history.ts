/** What was done on the canvas and can be undone: moves, and deletions. Pure. */
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

/** More than anybody walks back. */
const MOST_STEPS = 100

export const NO_HISTORY: History = { done: [], undone: [] }

/**
 * Something was done; what had been undone cannot be done again any more. A `repeated` move, by a key that is held down,
 * is one with the move before it.
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

/** The step to take back, and the history once it is. */
export function undo({ done, undone }: History): { history: History; step: Step } | null {
  const step = done.at(-1)
  return step ? { step, history: { done: done.slice(0, -1), undone: [...undone, step] } } : null
}

/** The step to do again, and the history once it is. */
export function redo({ done, undone }: History): { history: History; step: Step } | null {
  const step = undone.at(-1)
  return step ? { step, history: { done: [...done, step], undone: undone.slice(0, -1) } } : null
}

/** A deletion that was done again has another way to be taken back. */
export function withRestore({ done, undone }: History, restore: Restore): History {
  const last = done.at(-1)
  return last?.kind === 'deleted'
    ? { done: [...done.slice(0, -1), { ...last, restore }], undone }
    : { done, undone }
}

/** What was deleted and came back has new ids. */
export function renamed({ done, undone }: History, ids: ReadonlyMap<ItemId, ItemId>): History {
  if (ids.size === 0) return { done, undone }
  const name = (id: ItemId) => ids.get(id) ?? id
  const rename = (step: Step): Step =>
    step.kind === 'moved'
      ? { ...step, moves: step.moves.map((move) => ({ ...move, id: name(move.id) })) }
      : { ...step, ids: step.ids.map(name) }
  return { done: done.map(rename), undone: undone.map(rename) }
}
