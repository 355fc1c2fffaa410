import { expect, it } from 'vitest'
import { coveredBy, type Heights } from './keyboard'

const none: Heights = { tallest: 844, window: 844, visible: 844, offset: 0 }

it.each<[string, Partial<Heights>, boolean, number | null]>([
  ['nothing is open', {}, true, null],
  ['the bar of the browser comes in', { visible: 760 }, true, null],
  ['the keyboard covers the window', { visible: 500 }, true, 344],
  ['the covered window is scrolled', { visible: 500, offset: 100 }, true, 244],
  ['the window shrinks for the keyboard', { window: 500, visible: 500 }, true, 0],
  ['a window is low and nobody types', { window: 500, visible: 500 }, false, null],
])('when %s', (_what, change, isTyping, covered) => {
  expect(coveredBy({ ...none, ...change }, isTyping)).toBe(covered)
})
