import { expect, it } from 'vitest'
import { addToFlow, averageSpeed, beginFlow, flowBytes, speeds, topSpeed } from './flow'

const SECOND = 1_000

/** A flow of a rate in bytes a second, which is told four times a second. */
function flows(seconds: number, rate: (second: number) => number, flow = beginFlow(0)) {
  for (let now = 250; now <= seconds * SECOND; now += 250) flow = addToFlow(flow, rate(now / SECOND) / 4, now)
  return flow
}

it('the average and the top speed of an even flow are its speed', () => {
  const flow = flows(60, () => 1_000_000)
  expect(averageSpeed(flow)).toBe(1_000_000)
  expect(topSpeed(flow)).toBeCloseTo(1_000_000, -5)
})

it('pauses count for the average, and not for the top speed', () => {
  const flow = flows(40, (second) => (second > 10 && second <= 30 ? 0 : 1_000))
  expect(averageSpeed(flow)).toBe(500)
  expect(topSpeed(flow)).toBe(1_000)
})

it('a flow of any length has few steps, and no byte is lost', () => {
  const flow = flows(3_600, () => 400)
  expect(flow.steps.length).toBeLessThanOrEqual(120)
  expect(flowBytes(flow)).toBe(3_600 * 400)
  expect(averageSpeed(flow)).toBe(400)
})

it('the plot has no step that is not over, and its highest point is the top speed', () => {
  const flow = flows(10.25, (second) => (second === 5 ? 2_000 : 400))
  expect(speeds(flow).at(-1)).toBe(400)
  expect(Math.max(...speeds(flow))).toBe(topSpeed(flow))
})

it('of a moment no speed is told', () => {
  const flow = addToFlow(beginFlow(0), 5_000, 40)
  expect([averageSpeed(flow), topSpeed(flow)]).toEqual([null, null])
})
