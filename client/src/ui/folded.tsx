import { t } from '@lingui/core/macro'
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { cx } from './cx'
import css from './folded.module.css'

/** Shows twelve lines of its content, and the rest on request. */
export function Folded({ className, children }: { className?: string | undefined; children: ReactNode }) {
  const outer = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const [cut, setCut] = useState(false)
  const [open, setOpen] = useState(false)
  useLayoutEffect(() => {
    const content = inner.current
    if (!content || open) return
    const measure = () => setCut(content.offsetHeight > (outer.current?.clientHeight ?? 0) + 1)
    measure()
    // Pictures load later than the text, and the text may change.
    const observer = new ResizeObserver(measure)
    observer.observe(content)
    return () => observer.disconnect()
  }, [open])
  return (
    <>
      <div ref={outer} className={cx(className, !open && css.closed, cut && !open && css.faded)}>
        <div ref={inner}>{children}</div>
      </div>
      {cut && (
        <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? t`Show less` : t`Show all`}
        </button>
      )}
    </>
  )
}
