// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { isLong } from './screen-hint'

const GB = 1_000_000_000

it.each([
  ['is offered', { row: { status: 'offered', bytes: null }, size: GB, seconds: null }, true],
  ['is small and offered', { row: { status: 'offered', bytes: null }, size: 1_000, seconds: null }, false],
  ['has just begun', { row: { status: 'moving', bytes: 0 }, size: GB, seconds: null }, true],
  ['takes a while', { row: { status: 'moving', bytes: 0 }, size: 5_000_000, seconds: 60 }, true],
  ['is over soon', { row: { status: 'moving', bytes: 0 }, size: GB, seconds: 25 }, false],
  ['is paused', { row: { status: 'paused', bytes: 5 }, size: GB, seconds: null }, false],
  ['is here', { row: { status: 'done', bytes: GB }, size: GB, seconds: null }, false],
] as const)('a transfer that %s: %j is long: %s', (_what, transferred, expected) => {
  expect(isLong(transferred)).toBe(expected)
})
