import AxeBuilder from '@axe-core/playwright'
import { expect } from '@playwright/test'
import type { Device } from './device.ts'

/** No entry of a thing takes longer; what does is the life of a toast, or never ends. */
const LONGEST_ENTRY_MS = 1_000

/** Nothing that keeps people out: no serious and no critical finding, once what fades in has done so. */
export async function expectNothingSerious({ page }: Device): Promise<void> {
  await page.evaluate(async (longestMs) => {
    const ending = document.getAnimations().filter((animation) => {
      const end = animation.effect?.getComputedTiming().endTime
      return typeof end === 'number' && end <= longestMs
    })
    await Promise.allSettled(ending.map((animation) => animation.finished))
  }, LONGEST_ENTRY_MS)
  const { violations } = await new AxeBuilder({ page }).analyze()
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }))
  expect(serious).toEqual([])
}

export async function expectNoSidewaysScroll({ page }: Device): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
}
