import { type RefObject, useEffect } from 'react'

/** A list that scrolls by itself keeps the wheel, which otherwise moves the canvas. */
export function useOwnWheel(list: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const element = list.current
    if (!element) return
    const keep = (event: WheelEvent) => {
      const { scrollTop, scrollHeight, clientHeight } = element
      const isMore = event.deltaY < 0 ? scrollTop > 0 : scrollTop + clientHeight < scrollHeight - 1
      if (isMore && !event.ctrlKey && !event.metaKey) event.stopPropagation()
    }
    element.addEventListener('wheel', keep)
    return () => element.removeEventListener('wheel', keep)
  }, [list])
}
