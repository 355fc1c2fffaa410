import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES } from './bindings'
import { LinkMeter, SMALLEST_WINDOW_BYTES } from './link-meter'

const FRAME = 4 * CHUNK_BYTES

/** Delivers a frame each `interval` milliseconds from a time on. */
function delivers(meter: LinkMeter, frames: number, interval: number, from = 0): number {
  let now = from
  meter.wanted(now)
  for (let i = 0; i < frames; i++) {
    now += interval
    meter.arrived(FRAME, now)
  }
  return now
}

describe('a link', () => {
  it('has the smallest window at first, which grows by what arrives', () => {
    const meter = new LinkMeter()
    expect(meter.window(0)).toBe(SMALLEST_WINDOW_BYTES)
    meter.wanted(0)
    meter.arrived(FRAME, 10)
    expect(meter.rate(10)).toBeNull()
    expect(meter.window(10)).toBe(SMALLEST_WINDOW_BYTES + FRAME)
  })

  it('has a window of two round trips at its rate', () => {
    const meter = new LinkMeter()
    meter.answered(100, 0)
    const now = delivers(meter, 100, 10)
    expect(meter.rate(now)).toBeCloseTo(FRAME / 10)
    expect(meter.window(now)).toBeCloseTo(2 * 100 * (FRAME / 10))
  })

  it('that keeps the order of everything has a window of four, of 100 ms to 2 s', () => {
    const meter = new LinkMeter(4 * 1024 * 1024)
    meter.answered(100, 0)
    const now = delivers(meter, 100, 10)
    expect(meter.window(now)).toBeCloseTo(4 * 100 * (FRAME / 10))
    const near = new LinkMeter(4 * 1024 * 1024)
    near.answered(10, 0)
    const then = delivers(near, 100, 10)
    expect(near.window(then)).toBeCloseTo(100 * (FRAME / 10))
    const slow = new LinkMeter(4 * 1024 * 1024)
    // What waits on a slow line makes each answer later.
    for (const roundTrip of [8_000, 16_000]) slow.answered(roundTrip, 0)
    const later = delivers(slow, 100, 100)
    expect(slow.window(later)).toBeCloseTo(2_000 * (FRAME / 100))
  })

  it('has a smaller window while its round trip is measured', () => {
    const meter = new LinkMeter()
    meter.answered(100, 0)
    const now = delivers(meter, 100, 10)
    const before = meter.window(now)
    expect(meter.probe(now)).toBe(true)
    expect(meter.window(now)).toBeCloseTo(before / 2)
    meter.answered(100, now)
    expect(meter.window(now)).toBeCloseTo(before)
    expect(meter.probe(now + 100)).toBe(false)
    expect(meter.probe(now + 2_000)).toBe(true)
  })

  it('follows a round trip that becomes longer', () => {
    const meter = new LinkMeter()
    meter.answered(10, 0)
    meter.answered(80, 2_000)
    expect(meter.roundTrip).toBe(10)
    meter.answered(90, 4_000)
    expect(meter.roundTrip).toBe(80)
  })

  it('knows the round trip of its path without what waits there, and that of another path after 20 s', () => {
    const meter = new LinkMeter()
    expect(meter.base).toBeNull()
    meter.answered(50, 0)
    for (let now = 2_000; now < 18_000; now += 2_000) meter.answered(300, now)
    expect(meter.base).toBe(50)
    for (let now = 18_000; now < 32_000; now += 2_000) meter.answered(300, now)
    expect(meter.base).toBe(300)
    meter.answered(20, 32_000)
    expect(meter.base).toBe(20)
  })

  it('is as fast after a pause as before it, and slower when nothing comes', () => {
    const meter = new LinkMeter()
    const now = delivers(meter, 20, 10)
    meter.idle(now)
    expect(meter.rate(now + 60_000)).toBeCloseTo(FRAME / 10)
    meter.wanted(now + 60_000)
    expect(meter.rate(now + 61_000)).toBeLessThan(FRAME / 50)
  })

  it('of one frame a second is measured by frames, not by the moment in which one arrives', () => {
    const meter = new LinkMeter()
    const now = delivers(meter, 10, 1_000)
    expect(meter.rate(now)).toBeCloseTo(FRAME / 1_000)
    expect(meter.window(now)).toBe(SMALLEST_WINDOW_BYTES)
  })
})
