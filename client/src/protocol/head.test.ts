import { expect, it } from 'vitest'
import { Head } from './head'

it('is complete once all of its bytes are there, in whatever order they come', () => {
  const head = new Head(5)
  const file = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])
  expect(head.wrote(6, file.subarray(6))).toBeNull()
  expect(head.wrote(3, file.subarray(3, 6))).toBeNull()
  expect(head.wrote(0, file.subarray(0, 3))).toEqual(file.subarray(0, 5))
})

it('is told once', () => {
  const head = new Head(2)
  expect(head.wrote(0, Uint8Array.of(1, 2, 3))).toEqual(Uint8Array.of(1, 2))
  expect(head.wrote(3, Uint8Array.of(4))).toBeNull()
})

it('waits for a part that is missing, however often another comes', () => {
  const head = new Head(4)
  const file = Uint8Array.from([1, 2, 3, 4])
  for (let times = 0; times < 2; times++) expect(head.wrote(0, file.subarray(0, 2))).toBeNull()
  expect(head.wrote(2, file.subarray(2))).toEqual(file)
})
