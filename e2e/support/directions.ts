/** A page in a language that is written to the left, and what lies outside of the window or of its box. */
import { expect } from '@playwright/test'
import type { Device } from './device.ts'

/** Shows every page of the device as in Arabic, whose texts run to the left. The words stay English. */
export async function readsToTheLeft({ context }: Device): Promise<void> {
  await context.addInitScript(() => {
    const turn = () => {
      const root = document.documentElement
      if (!root || root.dir === 'rtl') return
      root.dir = 'rtl'
      root.lang = 'ar'
    }
    new MutationObserver(turn).observe(document, {
      attributes: true,
      attributeFilter: ['dir'],
      childList: true,
      subtree: true,
    })
  })
}

/** Expects every button, link and field to be inside of the window, but for those that are scrolled or lie on the canvas. */
export async function expectNothingOutside({ page }: Device): Promise<void> {
  const outside = await page.evaluate(() => {
    const scrolls = (element: Element): boolean => {
      const { overflowX } = getComputedStyle(element)
      if (overflowX === 'auto' || overflowX === 'scroll') return true
      return element.parentElement !== null && scrolls(element.parentElement)
    }
    return [...document.querySelectorAll('button, a[href], input, textarea, select, h1, h2')]
      .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      .filter((element) => !element.closest('[data-note], .visually-hidden') && !scrolls(element))
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 1 && (left < -1 || right > innerWidth + 1)
      })
      .map((element) => element.outerHTML.slice(0, 200))
  })
  expect(outside).toEqual([])
}
