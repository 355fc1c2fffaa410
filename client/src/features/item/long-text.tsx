import { useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx'
import css from './long-text.module.css'

/** A text of any length: twelve lines of it, and the rest when asked for. */
export function LongText({ text }: { text: string }) {
  const ref = useRef<HTMLParagraphElement>(null)
  const [cut, setCut] = useState(false)
  const [open, setOpen] = useState(false)
  useLayoutEffect(() => {
    const element = ref.current
    // A new text is measured anew; `text` is what the element holds.
    if (element && !open && text !== '') setCut(element.scrollHeight > element.clientHeight + 1)
  }, [text, open])
  return (
    <>
      <p ref={ref} className={cx(css.text, !open && css.closed, cut && !open && css.faded)} dir="auto">
        {text}
      </p>
      {cut && (
        <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
