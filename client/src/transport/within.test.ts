import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { within } from './within'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<never>(() => {})

it('passes on what comes in time, and why it does not come', async () => {
  expect(await within(10, Promise.resolve('here'))).toBe('here')
  await expect(within(10, Promise.reject(new Error('gone')))).rejects.toThrow('gone')
  expect(vi.getTimerCount()).toBe(0)
})

it('waits for so long, and no longer', async () => {
  const ended = vi.fn()
  within(10, never).catch(({ name }: Error) => ended(name))
  await vi.advanceTimersByTimeAsync(9)
  expect(ended).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(1)
  expect(ended).toHaveBeenCalledWith('TimeoutError')
})

it('fails as it is told to', async () => {
  const late = expect(within(10, never, () => new Error('silent'))).rejects.toThrow('silent')
  await vi.advanceTimersByTimeAsync(10)
  await late
})
