import { describe, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { type GestureEffect, handleGesture, IDLE, type PointerInput } from './gesture'

const note = 'milk' as ItemId
const at = (x: number, y: number) => ({ x, y })

const down = (
  x: number,
  y: number,
  over: Partial<Extract<PointerInput, { type: 'down' }>> = {},
): PointerInput => ({
  type: 'down',
  pointer: 1,
  at: at(x, y),
  on: null,
  touch: false,
  shift: false,
  pans: false,
  ...over,
})
const move = (x: number, y: number, pointer = 1): PointerInput => ({ type: 'move', pointer, at: at(x, y) })
const up: PointerInput = { type: 'up', pointer: 1 }

/** Returns all effects of the inputs, and the gesture after them. */
function play(...inputs: PointerInput[]) {
  let gesture = IDLE
  const effects: GestureEffect[] = []
  for (const input of inputs) {
    const step = handleGesture(gesture, input)
    gesture = step.gesture
    effects.push(...step.effects)
  }
  return { kind: gesture.kind, effects }
}

describe('a press on the ground', () => {
  it('pans by as much as the pointer moves', () => {
    expect(play(down(10, 10), move(30, 15), move(35, 15), up).effects).toEqual([
      { do: 'capture', pointer: 1 },
      { do: 'pan', by: at(20, 5) },
      { do: 'pan', by: at(5, 0) },
    ])
  })

  it('without a movement is a press on the ground', () => {
    expect(play(down(10, 10), move(11, 10), up).effects.at(-1)).toEqual({
      do: 'press',
      note: null,
      shift: false,
    })
  })

  it('with Shift draws a frame, whichever way, and takes it away at the end', () => {
    const { effects, kind } = play(down(50, 50, { shift: true }), move(20, 80), up)
    expect(effects.slice(1)).toEqual([
      { do: 'frame', box: { x: 20, y: 50, width: 30, height: 30 } },
      { do: 'frame', box: null },
    ])
    expect(kind).toBe('idle')
  })
})

describe('a press on a note', () => {
  it('holds it at once and drags it after more movement than a click', () => {
    const { effects } = play(down(10, 10, { on: note }), move(12, 10), move(40, 10), move(60, 20), up)
    expect(effects).toEqual([
      { do: 'hold', note, shift: false },
      { do: 'capture', pointer: 1 },
      { do: 'drag', by: at(30, 0) },
      { do: 'drag', by: at(50, 10) },
      { do: 'release', by: at(50, 10) },
    ])
  })

  it('without a movement takes no capture, so that a double click reaches the note', () => {
    const { effects } = play(down(10, 10, { on: note }), up)
    expect(effects).toEqual([
      { do: 'hold', note, shift: false },
      { do: 'release', by: null },
      { do: 'press', note, shift: false },
    ])
  })

  it.each(['up', 'lost'] as const)('ends by %s, where it was last', (type) => {
    const { effects, kind } = play(down(10, 10, { on: note }), move(40, 50), { type, pointer: 1 })
    expect(effects.at(-1)).toEqual({ do: 'release', by: at(30, 40) })
    expect(kind).toBe('idle')
  })

  it('ends once: a capture lost after the end has no effect', () => {
    const before = play(down(10, 10, { on: note }), move(40, 50), up).effects
    expect(play(down(10, 10, { on: note }), move(40, 50), up, { type: 'lost', pointer: 1 }).effects).toEqual(
      before,
    )
  })

  it('goes back by Escape', () => {
    const { effects } = play(down(10, 10, { on: note }), move(40, 50), { type: 'escape' }, up)
    expect(effects.at(-1)).toEqual({ do: 'release', by: null })
  })

  it('pans with the space bar', () => {
    const { effects } = play(down(10, 10, { on: note, pans: true }), move(11, 10))
    expect(effects).toEqual([
      { do: 'capture', pointer: 1 },
      { do: 'pan', by: at(1, 0) },
    ])
  })
})

describe('two fingers', () => {
  const second = down(110, 10, { pointer: 2, touch: true })

  it('zoom by how far they part, around their middle', () => {
    const { effects } = play(down(10, 10, { touch: true }), second, move(210, 10, 2))
    expect(effects.at(-1)).toEqual({ do: 'zoom', factor: 2, at: at(110, 10), by: at(50, 0) })
  })

  it('let a note go that the first one held', () => {
    const { effects, kind } = play(down(10, 10, { touch: true, on: note }), move(30, 10), second)
    expect(effects.at(-1)).toEqual({ do: 'release', by: at(20, 0) })
    expect(kind).toBe('pinch')
  })

  it('become one that pans when the other leaves', () => {
    const { effects, kind } = play(down(10, 10, { touch: true }), second, up, move(120, 15, 2))
    expect(effects.at(-1)).toEqual({ do: 'pan', by: at(10, 5) })
    expect(kind).toBe('pan')
  })

  it('do not apply to a mouse', () => {
    expect(play(down(10, 10), down(50, 50, { pointer: 2 })).kind).toBe('pan')
  })
})
