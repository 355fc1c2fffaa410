import { t } from '@lingui/core/macro'
import type { Ref } from 'react'
import { LONGEST_TITLE } from '../../protocol/rich-note'
import { isComposing } from '../../ui/composing'
import css from './title-field.module.css'

interface TitleFieldProps {
  ref?: Ref<HTMLInputElement>
  title: string
  onTitle: (title: string) => void
  /** Called on Enter, to move the focus to the text. */
  onDone: () => void
}

export function TitleField({ ref, title, onTitle, onDone }: TitleFieldProps) {
  return (
    <input
      ref={ref}
      className={css.title}
      aria-label={t`Title`}
      placeholder={t`Title`}
      dir="auto"
      maxLength={LONGEST_TITLE}
      value={title}
      onChange={(event) => onTitle(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || isComposing(event.nativeEvent)) return
        event.preventDefault()
        onDone()
      }}
    />
  )
}
