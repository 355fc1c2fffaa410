import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createStores } from '../stores/stores'
import { createReadingNews } from './reading-news'
import { createToaster } from './toaster'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function reads() {
  const { toasts } = createStores()
  const reading = createReadingNews(createToaster(toasts))()
  return { reading, texts: () => toasts.getState().toasts.map(({ text }) => text) }
}

it('how many files of a large folder were found is told until it is read', () => {
  const { reading, texts } = reads()
  reading.found()
  expect(texts()).toEqual([])
  vi.advanceTimersByTime(500)
  expect(texts()).toEqual(['Reading folder… 1 file'])
  for (let at = 0; at < 999; at += 1) reading.found()
  vi.advanceTimersByTime(2_000)
  expect(texts()).toEqual(['Reading folder… 1,000 files'])
  reading.end()
  vi.advanceTimersByTime(10_000)
  expect(texts()).toEqual([])
})

it('nothing is told of a folder that is read at once', () => {
  const { reading, texts } = reads()
  reading.end()
  vi.advanceTimersByTime(10_000)
  expect(texts()).toEqual([])
})
