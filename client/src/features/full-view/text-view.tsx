import { t } from '@lingui/core/macro'
import { useEffect, useState } from 'react'
import { readTextStart } from '../../protocol/text-file'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import type { ShownFile } from '../item/shown-as'
import { formatBytes } from '../transfer/format-bytes'
import { CannotShow } from './cannot-show'
import css from './text-view.module.css'

/** Bytes shown of a text file. More would hold up the browser, which lays out every line. */
const MOST_BYTES = 1024 * 1024
/** Files that are read as sentences, and wrapped in the page's own font. */
const PROSE = /\.(txt|text|md|markdown|rst|adoc)$/i

type Reading =
  | { readonly status: 'reading' }
  | { readonly status: 'read'; readonly text: string }
  | { readonly status: 'failed'; readonly why: string }

/** The start of a text file as plain characters: nothing of it is ever parsed as markup. */
export function TextView({ file }: { file: ShownFile }) {
  const { name } = file
  const reading = useText(file)
  if (reading.status === 'reading') return <div className={css.scroll} aria-busy="true" />
  if (reading.status === 'failed') return <CannotShow>{reading.why}</CannotShow>
  const size = formatBytes(file.size)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by the keyboard too
    <section className={css.scroll} aria-label={t`Text of ${name}`} tabIndex={0}>
      <pre className={cx(css.text, PROSE.test(name) && css.prose)} dir="auto">
        {reading.text}
      </pre>
      {file.size > MOST_BYTES && (
        <p className={css.rest}>{t`This is the first MB of ${size}. Download the file to read the rest.`}</p>
      )}
    </section>
  )
}

function useText({ id }: ShownFile): Reading {
  const { actions } = useApp()
  const [reading, setReading] = useState<Reading>({ status: 'reading' })
  useEffect(() => {
    let isOver = false
    const tell = (next: Reading) => !isOver && setReading(next)
    actions.readItem(id, MOST_BYTES).then(
      (bytes) => {
        const start = readTextStart(bytes)
        tell(
          start
            ? { status: 'read', text: start.text }
            : { status: 'failed', why: t`This file is not a text.` },
        )
      },
      () => tell({ status: 'failed', why: t`The file could not be read.` }),
    )
    return () => {
      isOver = true
    }
  }, [actions, id])
  return reading
}
