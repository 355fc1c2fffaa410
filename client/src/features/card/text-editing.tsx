import { t } from '@lingui/core/macro'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { isComposing } from '../../ui/composing'
import { cx } from '../../ui/cx'
import { useGrowing } from '../../ui/growing'
import { useApp } from '../actions'
import css from './text-editing.module.css'

/** The field in which a text is changed on its card. Escape cancels, Ctrl+Enter saves. */
export function TextEditing({ tone }: { tone: 'note' | 'list' }) {
  const { stores, actions } = useApp()
  const ref = useRef<HTMLTextAreaElement>(null)
  const text = useStore(stores.editor, (state) => (state.kind === 'editing-text' ? state.text : ''))
  useGrowing(ref, text)
  useEffect(() => {
    const field = ref.current
    field?.focus()
    field?.setSelectionRange(field.value.length, field.value.length)
    const card = field?.closest('article')
    // The card takes the focus of the field, unless the person has gone on.
    return () => queueMicrotask(() => document.activeElement === document.body && card?.focus())
  }, [])
  const save = actions.notes.saveText
  const cancel = actions.notes.close
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the canvas and of a page below do nothing here.
    event.stopPropagation()
    if (isComposing(event.nativeEvent)) return
    if (event.key === 'Escape') {
      event.preventDefault()
      cancel()
    }
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save()
  }
  return (
    <div className={cx(css.editing, css[tone])}>
      <textarea
        ref={ref}
        className={css.field}
        rows={1}
        dir="auto"
        aria-label={t`Text`}
        value={text}
        onChange={(event) => actions.notes.typeText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={css.foot}>
        <Button look="ghost" size="sm" onClick={cancel}>
          {t`Cancel`}
        </Button>
        <Button look="primary" size="sm" disabled={text.trim() === ''} onClick={save}>
          {t`Save`}
        </Button>
      </div>
    </div>
  )
}
