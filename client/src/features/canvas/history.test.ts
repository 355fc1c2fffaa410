import { describe, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { type History, NO_HISTORY, recorded, redo, type Step, undo } from './history'

const id = (name: string) => name as ItemId
const at = (x: number) => ({ x, y: 0 })
const moved = (name: string, from: number, to: number): Step => ({
  kind: 'moved',
  moves: [{ id: id(name), from: at(from), to: at(to) }],
})
const deleted = (name: string): Step => ({ kind: 'deleted', ids: [id(name)], restore: () => true })

const historyOf = (...steps: Step[]) =>
  steps.reduce<History>((history, step) => recorded(history, step), NO_HISTORY)

describe('the history of the canvas', () => {
  it('undoes the last step first and redoes it', () => {
    const back = undo(historyOf(moved('a', 0, 10), deleted('b')))
    expect(back?.step.kind).toBe('deleted')
    const further = undo(back?.history ?? NO_HISTORY)
    expect(further?.step).toEqual(moved('a', 0, 10))
    expect(undo(further?.history ?? NO_HISTORY)).toBeNull()
    expect(redo(further?.history ?? NO_HISTORY)?.step).toEqual(moved('a', 0, 10))
  })

  it('has nothing to redo after a new step', () => {
    const back = undo(historyOf(moved('a', 0, 10)))
    expect(redo(recorded(back?.history ?? NO_HISTORY, moved('a', 0, 5)))).toBeNull()
  })

  it('joins the steps of a key that is held down', () => {
    const held = recorded(historyOf(moved('a', 0, 10)), moved('a', 10, 20), true)
    expect(held.done).toEqual([moved('a', 0, 20)])
    expect(recorded(held, moved('b', 0, 10), true).done).toHaveLength(2)
    expect(recorded(held, moved('a', 20, 30), false).done).toHaveLength(2)
  })

  it('is bounded', () => {
    expect(
      historyOf(...Array.from({ length: 500 }, (_, step) => moved('a', step, step + 1))).done,
    ).toHaveLength(100)
  })
})
