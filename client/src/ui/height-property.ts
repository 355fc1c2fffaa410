import type { RefCallback } from 'react'

/**
 * Returns a ref that tells the styles how high its element is: a custom property of the root in px, while the element
 * is there. Call it outside of components, because React attaches a new ref anew.
 *
 * @param more added to the height, for what lies between the element and the one below it
 */
export function heightAs(property: '--bar' | '--menu', more = 0): RefCallback<HTMLElement> {
  return (element) => {
    if (!element) return
    const { style } = document.documentElement
    const tell = () => style.setProperty(property, `${element.offsetHeight + more}px`)
    const observer = new ResizeObserver(tell)
    observer.observe(element)
    return () => {
      observer.disconnect()
      style.removeProperty(property)
    }
  }
}
