import { type KeyboardEvent, type RefObject, useLayoutEffect } from 'react'
import { isComposing } from '../../ui/composing'
import css from './message-field.module.css'

/** A line that grows with its text. Enter sends, Shift and Enter breaks the line. */
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
  useLayoutEffect(() => {
    const field = ref.current
    if (!field) return
    field.style.height = 'auto'
    // An empty field has the height of one line, whatever its placeholder says.
    if (text !== '') field.style.height = `${field.scrollHeight}px`
  }, [ref, text])
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
