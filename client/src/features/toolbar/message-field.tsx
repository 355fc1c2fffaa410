import type { KeyboardEvent, RefObject } from 'react'
import { isComposing } from '../../ui/composing'
import { useGrowing } from '../../ui/growing'
import css from './message-field.module.css'

/** A text field that grows with its text. Enter sends; Shift+Enter breaks the line. */
export function MessageField({
  ref,
  label,
  placeholder,
  text,
  onText,
  onSend,
}: {
  ref: RefObject<HTMLTextAreaElement | null>
  label: string
  placeholder: string
  text: string
  onText: (text: string) => void
  onSend: () => void
}) {
  useGrowing(ref, text)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || isComposing(event.nativeEvent)) return
    event.preventDefault()
    onSend()
  }
  return (
    <textarea
      ref={ref}
      className={css.field}
      rows={1}
      dir="auto"
      aria-label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => onText(event.currentTarget.value)}
      onKeyDown={onKeyDown}
    />
  )
}
