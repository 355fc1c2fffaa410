import AxeBuilder from '@axe-core/playwright'
import { expect } from '@playwright/test'
import type { Device } from './device.ts'

/** Nothing that keeps people out: no serious and no critical finding. */
export async function expectNothingSerious({ page }: Device): Promise<void> {
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
