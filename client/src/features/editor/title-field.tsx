import { t } from '@lingui/core/macro'
import type { RefObject } from 'react'
import { LONGEST_TITLE } from '../../protocol/rich-note'
import { isComposing } from '../../ui/composing'
import { useGrowing } from '../../ui/growing'
import css from './title-field.module.css'

interface TitleFieldProps {
  ref: RefObject<HTMLTextAreaElement | null>
  title: string
  onTitle: (title: string) => void
  /** Called on Enter, to move the focus to the text. */
  onDone: () => void
}

/** The title of a note: one line of text, wrapped as far as it needs. */
export function TitleField({ ref, title, onTitle, onDone }: TitleFieldProps) {
  useGrowing(ref, title)
  return (
    <textarea
      ref={ref}
      className={css.title}
      rows={1}
      aria-label={t`Title`}
      placeholder={t`Title`}
      dir="auto"
      maxLength={LONGEST_TITLE}
      value={title}
      // A title that is pasted may come in several lines.
      onChange={(event) => onTitle(event.currentTarget.value.replace(/\s*\n\s*/g, ' '))}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
        event.preventDefault()
        onDone()
      }}
    />
  )
}
