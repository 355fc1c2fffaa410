// @vitest-environment jsdom
import { cleanup, renderHook } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { DIRECT } from '../../protocol/way'
import type { FileRow } from './file-view'
import { useProgressTexts } from './use-file'

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  cleanup()
  vi.useRealTimers()
})

const SIZE = 1_000_000

const row = (bytes: number, facts: Partial<FileRow> = {}): FileRow => ({
  device: null,
  status: 'moving',
  bytes,
  bytesPerSecond: 10_000,
  way: DIRECT,
  text: '',
  actions: [],
  ...facts,
})

/** Shows a file that moves at 10 kB/s for so many seconds, and returns how to show another state of it. */
function moves(seconds: number) {
  const shown = renderHook((props: FileRow) => useProgressTexts(props, SIZE), { initialProps: row(0) })
  for (let at = 250; at <= seconds * 1_000; at += 250) {
    vi.advanceTimersByTime(250)
    shown.rerender(row(10 * at))
  }
  return shown
}

it('a moving file tells its speed, and after two seconds the time left', () => {
  expect(moves(1.75).result.current).toMatchObject({ left: '10 kB/s', right: '1 %' })
  expect(moves(2).result.current).toMatchObject({ left: '10 kB/s', right: '2 min left' })
  expect(moves(60).result.current.right).toBe('40 s left')
})

it.each([0, 0.004])('a file of which nothing moves tells how much of it is here (%s B/s)', (speed) => {
  const { result, rerender } = moves(10)
  rerender(row(500_000, { bytesPerSecond: speed }))
  expect(result.current).toMatchObject({ left: 'Waiting to go on', right: '50 %' })
})

it('a file that has only begun does not say that it waits', () => {
  const { result } = renderHook(() => useProgressTexts(row(10_000, { bytesPerSecond: 0 }), SIZE))
  expect(result.current.left).toBe('')
})

it('a file that waits tells no time left, and is measured anew when it goes on', () => {
  const { result, rerender } = moves(10)
  rerender(row(100_000, { status: 'parked', text: 'Waiting for Ada' }))
  expect(result.current).toMatchObject({ left: 'Waiting for Ada', right: '10 %' })
  vi.advanceTimersByTime(250)
  rerender(row(110_000))
  expect(result.current.right).toBe('11 %')
})
