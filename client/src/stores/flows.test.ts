import { expect, it } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { DIRECT } from '../protocol/way'
import { averageSpeed, flowBytes } from './flow'
import { bytesTwice, type FlowsEvent, type FlowsState, reduceFlows } from './flows'

const CARD = 'card' as ItemId
const [A, B] = ['a' as ItemId, 'b' as ItemId]
const ADA = 'ada' as DeviceId

const moved = (file: ItemId, bytes: number, now: number, twice: number | null = 0): FlowsEvent => ({
  type: 'moved',
  card: CARD,
  file,
  device: ADA,
  bytes,
  twice,
  way: DIRECT,
  now,
})
const waits = (file: ItemId, bytes: number, now: number): FlowsEvent => ({
  ...(moved(file, bytes, now, null) as Extract<FlowsEvent, { type: 'moved' }>),
  way: null,
})
const after = (...events: FlowsEvent[]): FlowsState => events.reduce(reduceFlows, {})
const cardOf = (state: FlowsState) => {
  const card = state[CARD]?.[ADA]
  if (!card) throw new Error('nothing moved')
  return card
}

it('the files of a batch add to one flow', () => {
  const card = cardOf(after(moved(A, 100, 1_000), moved(B, 50, 1_100), moved(A, 300, 2_000)))
  expect(flowBytes(card.flow)).toBe(350)
})

it('what was here before a file went on is not counted as moved', () => {
  const card = cardOf(after(waits(A, 5_000, 0), moved(A, 5_100, 1_000)))
  expect(flowBytes(card.flow)).toBe(100)
})

it('a wait before the first byte makes the flow no longer', () => {
  const card = cardOf(after(waits(A, 0, 0), moved(A, 0, 8_000), moved(A, 250, 8_250), moved(A, 1_000, 9_000)))
  expect(averageSpeed(card.flow)).toBe(1_000)
})

it('a file that begins anew adds what it moves from then on', () => {
  const card = cardOf(after(moved(A, 800, 1_000), waits(A, 0, 2_000), moved(A, 200, 3_000)))
  expect(flowBytes(card.flow)).toBe(1_000)
})

it('what went twice is summed over the files, and stays while one waits', () => {
  const state = after(moved(A, 1, 0, 10), moved(B, 1, 0, 20), waits(A, 1, 10))
  expect(bytesTwice(cardOf(state))).toBe(30)
})

it('the last way stays while nothing moves', () => {
  expect(cardOf(after(moved(A, 1, 0), waits(A, 1, 10))).way).toEqual(DIRECT)
})

it('a card that is gone is forgotten, and all with their beam', () => {
  const state = after(moved(A, 1, 0))
  expect(reduceFlows(state, { type: 'forgotten', card: CARD })).toEqual({})
  expect(reduceFlows(state, { type: 'left' })).toEqual({})
})
