import { expect, it } from 'vitest'
import type { FileRow } from './file-view'
import { rightText } from './use-file'

const row = (bytesPerSecond: number): FileRow => ({
  device: null,
  status: 'moving',
  bytes: 50,
  bytesPerSecond,
  path: 'direct',
  text: '',
  actions: [],
})

it('a moving file tells the time left', () => {
  expect(rightText(row(10), 100, true)).toBe('5 s left')
})

it.each([0, 0.004])('a file of which nothing moves tells how much of it is here (%s B/s)', (speed) => {
  expect(rightText(row(speed), 100, true)).toBe('50 %')
})

it('a slow file never tells more than a day', () => {
  expect(rightText(row(1), 400_000_000, true)).toBe('more than a day left')
})
