import { beforeEach, describe, expect, it, vi } from 'vitest'
import { Overlays } from './overlays'

/** A history that goes back only when told to, because browsers do so asynchronously. */
class FakeHistory {
  entries: ('page' | 'ours')[] = ['page']
  leaving = 0

  push() {
    this.entries.push('ours')
  }
  back() {
    this.leaving += 1
  }
  isOurs() {
    return this.entries.at(-1) === 'ours'
  }
}

let history: FakeHistory
let waiting: (() => void)[]
let overlays: Overlays

beforeEach(() => {
  history = new FakeHistory()
  waiting = []
  overlays = new Overlays(history, (then) => waiting.push(then))
})

function settle() {
  for (const then of waiting.splice(0)) then()
}

/** The person goes back, or a requested step back completes. */
function goesBack() {
  history.entries.pop()
  history.leaving = Math.max(0, history.leaving - 1)
  overlays.popped()
  settle()
}

describe('the back button', () => {
  it('closes what is open and leaves the page where it is', () => {
    const close = vi.fn(() => gone())
    const gone = overlays.opened(close)
    expect(history.entries).toEqual(['page', 'ours'])
    goesBack()
    expect(close).toHaveBeenCalledOnce()
    expect(history.entries).toEqual(['page'])
    expect(history.leaving).toBe(0)
  })

  it('closes the topmost of several, one a press', () => {
    const first = vi.fn(() => firstGone())
    const second = vi.fn(() => secondGone())
    const firstGone = overlays.opened(first)
    const secondGone = overlays.opened(second)
    expect(history.entries).toEqual(['page', 'ours'])
    goesBack()
    expect(second).toHaveBeenCalledOnce()
    expect(first).not.toHaveBeenCalled()
    goesBack()
    expect(first).toHaveBeenCalledOnce()
    expect(history.entries).toEqual(['page'])
  })

  it('asks again when an overlay stays', () => {
    const stays = vi.fn()
    overlays.opened(stays)
    goesBack()
    goesBack()
    expect(stays).toHaveBeenCalledTimes(2)
    expect(history.entries).toEqual(['page', 'ours'])
  })
})

describe('an overlay that is closed by other means', () => {
  it('takes its entry with it', () => {
    const close = vi.fn()
    overlays.opened(close)()
    settle()
    expect(history.leaving).toBe(1)
    goesBack()
    expect(history.entries).toEqual(['page'])
    expect(close).not.toHaveBeenCalled()
  })

  it('hands its entry to one that opens in the same task', () => {
    overlays.opened(() => {})()
    overlays.opened(() => {})
    settle()
    expect(history.leaving).toBe(0)
    expect(history.entries).toEqual(['page', 'ours'])
  })

  it('waits for its entry to go before the next one gets another', () => {
    overlays.opened(() => {})()
    settle()
    const close = vi.fn()
    overlays.opened(close)
    expect(history.entries).toEqual(['page', 'ours'])
    goesBack()
    expect(close).not.toHaveBeenCalled()
    expect(history.entries).toEqual(['page', 'ours'])
  })

  it('leaves the history alone after a navigation to another page', () => {
    const gone = overlays.opened(() => {})
    history.entries.push('page')
    gone()
    settle()
    expect(history.leaving).toBe(0)
  })
})
