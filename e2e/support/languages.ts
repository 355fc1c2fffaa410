/** What other languages do to a page: texts that run to the left, and longer words. */
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

/**
 * Makes every word of the page longer by two fifths, as German and Finnish do, and expects that none leaves its button or
 * the window. The page draws its own words again later.
 */
export async function expectRoomForLongWords({ page }: Device): Promise<void> {
  const without = await page.evaluate(() => {
    const lengthened = (word: string) => word + word.slice(0, Math.ceil(word.length * 0.4)).toLowerCase()
    const texts: Text[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) texts.push(walker.currentNode as Text)
    const own = texts.filter(
      ({ parentElement: by }) => by && !by.closest('svg, [dir="auto"], bdi, [data-note]'),
    )
    for (const text of own) text.data = text.data.replaceAll(/\p{L}{3,}/gu, lengthened)
    const holders = 'button, a[href], label, [role="tab"], [role="menuitem"]'
    const left = own.filter((text) => {
      const by = text.parentElement?.closest<HTMLElement>(holders)
      if (!by?.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false
      // Words for screen readers alone are clipped to a pixel.
      const isHidden = (text.parentElement?.getBoundingClientRect().width ?? 0) <= 1
      if (isHidden || getComputedStyle(by).display === 'inline') return false
      const range = document.createRange()
      range.selectNodeContents(text)
      const [inner, outer] = [range.getBoundingClientRect(), by.getBoundingClientRect()]
      const isWide = inner.left < outer.left - 1 || inner.right > outer.right + 1
      return inner.width > 0 && (isWide || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1)
    })
    return left.map((text) => text.data)
  })
  expect(without).toEqual([])
}
