import { expect } from '@playwright/test'
import axe from 'axe-core'
import type { Device } from './device.ts'

/**
 * Longest entry animation in milliseconds. A longer animation is a toast's lifetime or endless, and is not waited for.
 */
const LONGEST_ENTRY_MS = 1_000

/** The rules whose outcome depends on the colour scheme. */
const COLOURS = ['color-contrast', 'link-in-text-block']

declare global {
  interface Window {
    /** In pages that were looked at: its source is handed to each page once. */
    axe: typeof axe
  }
}

/**
 * Waits for entry animations, then expects no serious and no critical finding of axe. A page that was looked at in one
 * colour scheme is looked at in the other for its `colours` only, because nothing else differs.
 */
export async function expectNothingSerious({ page }: Device, look: 'all' | 'colours' = 'all'): Promise<void> {
  // The whole of it is looked at from inside the page. What is in a frame would be missed.
  expect(page.frames()).toHaveLength(1)
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source)
  // Both in one step, so that no other animation begins in between.
  const violations = await page.evaluate(
    async ([longestMs, rules]) => {
      const isEntering = ({ playState, effect }: Animation) => {
        const end = effect?.getComputedTiming().endTime
        return playState === 'running' && typeof end === 'number' && end <= longestMs
      }
      const entering = () => document.getAnimations().filter(isEntering)
      // Others may have begun meanwhile.
      for (let now = entering(); now.length > 0; now = entering())
        await Promise.allSettled(now.map(({ finished }) => finished))
      const options = rules ? { runOnly: [...rules] } : {}
      return (await window.axe.run(document, { ...options, resultTypes: ['violations'] })).violations
    },
    [LONGEST_ENTRY_MS, look === 'colours' ? COLOURS : null] as const,
  )
  const serious = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => ({ id, help, where: nodes.map(({ html }) => html) }))
  expect(serious).toEqual([])
}

export async function expectNoSidewaysScroll({ page }: Device): Promise<void> {
  // The page is laid out anew after its width has changed.
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  await expect.poll(overflow).toBeLessThanOrEqual(0)
}
