import { type RefObject, useEffect, useLayoutEffect } from 'react'

/** Makes a text area as high as its text, without a scroll bar. */
export function useGrowing(ref: RefObject<HTMLTextAreaElement | null>, text: string) {
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another height
  useLayoutEffect(() => grow(ref.current), [ref, text])
  useEffect(() => {
    const again = () => grow(ref.current)
    // A dialog around the field is opened after the field is rendered, and only then it has a height.
    again()
    // The lines break elsewhere when the window turns.
    addEventListener('resize', again)
    return () => removeEventListener('resize', again)
  }, [ref])
}

function grow(field: HTMLTextAreaElement | null): void {
  if (!field) return
  field.style.height = ''
  // An empty field is one line high, however long its placeholder is.
  if (field.value !== '' && field.scrollHeight > 0) field.style.height = `${field.scrollHeight}px`
}
