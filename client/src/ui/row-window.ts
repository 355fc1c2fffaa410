/** Long lists of rows of one height, of which only those near the visible part are rendered. */
import { type RefObject, useEffect, useState } from 'react'

/** Rows rendered before and after the visible ones, so that the next one can take the focus and is there when it scrolls in. */
const AHEAD = 6

/** Rows from `first` to `end`, without `end`. */
export interface RowWindow {
  readonly first: number
  readonly end: number
}

/** Returns the rows to render. All lengths are in CSS px. */
export function rowsIn(count: number, row: number, scrolled: number, height: number): RowWindow {
  const first = Math.floor(scrolled / row) - AHEAD
  const end = Math.ceil((scrolled + height) / row) + AHEAD
  const last = Math.min(Math.max(end, 0), count)
  return { first: Math.min(Math.max(first, 0), last), end: last }
}

/** Returns the rows of a scrolling list to render. `rowRem`: the height of a row in rem. */
export function useRowWindow(list: RefObject<HTMLElement | null>, count: number, rowRem: number): RowWindow {
  const [shown, setShown] = useState<RowWindow>({ first: 0, end: Math.min(count, 2 * AHEAD) })
  useEffect(() => {
    const element = list.current
    if (!element) return
    const look = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
      const next = rowsIn(count, rowRem * rem, element.scrollTop, element.clientHeight)
      setShown((old) => (old.first === next.first && old.end === next.end ? old : next))
    }
    look()
    element.addEventListener('scroll', look, { passive: true })
    return () => element.removeEventListener('scroll', look)
  }, [list, count, rowRem])
  return shown
}
