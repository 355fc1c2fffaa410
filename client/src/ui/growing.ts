import { type RefObject, useLayoutEffect } from 'react'

/** Makes a text area as high as its text, without a scroll bar. */
export function useGrowing(ref: RefObject<HTMLTextAreaElement | null>, text: string) {
  useLayoutEffect(() => {
    const field = ref.current
    if (!field) return
    const grow = () => {
      field.style.height = 'auto'
      // An empty field is one line high, however long its placeholder is.
      if (text !== '') field.style.height = `${field.scrollHeight}px`
    }
    grow()
    // The lines break elsewhere when the window turns.
    addEventListener('resize', grow)
    return () => removeEventListener('resize', grow)
  }, [ref, text])
}
