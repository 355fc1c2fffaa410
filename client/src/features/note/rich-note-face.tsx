import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { type RichNote, UNTITLED } from '../../protocol/rich-note'
import { cx } from '../../ui/cx'
import { NoteBoundary, NoteError } from './note-boundary'
import { NoteContent } from './note-content'
import css from './rich-note-face.module.css'

/** A rich note within a card: its title and as much of its content as a card shows. */
export function RichNoteFace({ note: { title, root }, tone }: { note: RichNote; tone: 'note' | 'list' }) {
  return (
    <>
      <p className={cx(css.title, tone === 'note' && css.onNote)} dir="auto">
        {title || UNTITLED}
      </p>
      {root === null && <NoteError />}
      {root !== null && root.children.length > 0 && (
        <NoteBoundary>
          <Folded>
            <NoteContent root={root} tone={tone} />
          </Folded>
        </NoteBoundary>
      )}
    </>
  )
}

/** As high as twelve lines, and the rest when asked for. */
function Folded({ children }: { children: ReactNode }) {
  const outer = useRef<HTMLDivElement>(null)
  const inner = useRef<HTMLDivElement>(null)
  const [cut, setCut] = useState(false)
  const [open, setOpen] = useState(false)
  useLayoutEffect(() => {
    const content = inner.current
    if (!content || open) return
    const measure = () => setCut(content.offsetHeight > (outer.current?.clientHeight ?? 0) + 1)
    measure()
    // Pictures come later than the text.
    const observer = new ResizeObserver(measure)
    observer.observe(content)
    return () => observer.disconnect()
  }, [open])
  return (
    <>
      <div ref={outer} className={cx(!open && css.closed, cut && !open && css.faded)}>
        <div ref={inner}>{children}</div>
      </div>
      {cut && (
        <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}
