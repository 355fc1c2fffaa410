import { useLayoutEffect, useMemo, useRef, useState } from 'react'
import { cx } from '../../ui/cx'
import { codeBlocks } from './code-blocks'
import { linkify } from './linkify'
import css from './long-text.module.css'

/** A text of any length, its code kept and its addresses made links: twelve lines of it, and the rest when asked for. */
export function LongText({ text }: { text: string }) {
  const ref = useRef<HTMLDivElement>(null)
  const [cut, setCut] = useState(false)
  const [open, setOpen] = useState(false)
  const blocks = useMemo(() => codeBlocks(text), [text])
  useLayoutEffect(() => {
    const element = ref.current
    // A new text is measured anew; `text` is what the element holds.
    if (element && !open && text !== '') setCut(element.scrollHeight > element.clientHeight + 1)
  }, [text, open])
  return (
    <>
      <div ref={ref} className={cx(css.text, !open && css.closed, cut && !open && css.faded)}>
        {blocks.map((block, at) =>
          block.kind === 'code' ? (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text has its blocks in one order
            <pre key={at} className={css.code}>
              <code>{block.text}</code>
            </pre>
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: a text has its blocks in one order
            <p key={at} dir="auto">
              <Linked text={block.text} />
            </p>
          ),
        )}
      </div>
      {cut && (
        <button type="button" className={css.more} aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Show less' : 'Show all'}
        </button>
      )}
    </>
  )
}

function Linked({ text }: { text: string }) {
  return linkify(text).map((part, at) =>
    part.kind === 'link' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: a text has its parts in one order
      <a key={at} className={css.link} href={part.href} target="_blank" rel="noreferrer">
        {part.text}
      </a>
    ) : (
      part.text
    ),
  )
}
