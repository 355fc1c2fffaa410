import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveBeamStatus } from '../transport/live-beam-status'
import { PATIENCE_MS, PatientStatus } from './patient-status'

const live: LiveBeamStatus = { status: 'live' }
const ended: LiveBeamStatus = { status: 'stopped', why: 'ended' }
const unreachable: LiveBeamStatus = { status: 'stopped', why: 'unreachable' }
const attempt = (number: number): LiveBeamStatus => ({ status: 'reconnecting', attempt: number, of: 20 })

let shown: LiveBeamStatus[]
let isSeen: boolean
let status: PatientStatus

beforeEach(() => {
  vi.useFakeTimers()
  shown = []
  isSeen = true
  status = new PatientStatus(
    (next) => shown.push(next),
    () => isSeen,
  )
  status.hear(live)
})
afterEach(() => vi.useRealTimers())

describe('a gap of the live channel', () => {
  it('is not shown when it is short', () => {
    status.hear(attempt(1))
    vi.advanceTimersByTime(PATIENCE_MS - 1)
    status.hear(live)
    vi.advanceTimersByTime(PATIENCE_MS)
    expect(shown).toEqual([live, live])
  })

  it('is shown when it lasts, and every attempt after that at once', () => {
    status.hear(attempt(1))
    vi.advanceTimersByTime(PATIENCE_MS)
    status.hear(attempt(2))
    status.hear(unreachable)
    expect(shown).toEqual([live, attempt(1), attempt(2), unreachable])
  })

  it('does not count the time while the page is hidden', () => {
    isSeen = false
    status.hear(attempt(1))
    status.hear(unreachable)
    vi.advanceTimersByTime(10 * PATIENCE_MS)
    isSeen = true
    status.seen()
    vi.advanceTimersByTime(PATIENCE_MS - 1)
    expect(shown).toEqual([live])
    vi.advanceTimersByTime(1)
    expect(shown).toEqual([live, unreachable])
  })

  it('is not reported after the beam was left', () => {
    status.hear(attempt(1))
    status.end()
    vi.advanceTimersByTime(PATIENCE_MS)
    expect(shown).toEqual([live])
  })

  it('is not assumed when the beam has ended', () => {
    status.hear(ended)
    expect(shown).toEqual([live, ended])
  })
})
