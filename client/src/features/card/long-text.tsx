import { useMemo } from 'react'
import { Folded } from '../../ui/folded'
import { codeBlocks } from '../item/code-blocks'
import { linkify } from './linkify'
import css from './long-text.module.css'

/** A text with its code blocks and links. It shows twelve lines, and the rest on request. */
export function LongText({ text }: { text: string }) {
  const blocks = useMemo(() => codeBlocks(text), [text])
  return (
    <Folded className={css.room}>
      <div className={css.text}>
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
    </Folded>
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
