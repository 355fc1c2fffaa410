import { t } from '@lingui/core/macro'
import { type ChangeEvent, useRef } from 'react'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './ask-buttons.module.css'
import type { FileRowProps, Ground } from './file-row'

/** Asks for a file that a reload lost, so that it can be offered again. */
export function ChooseAgain({ item, content, on }: Pick<FileRowProps, 'item' | 'content'> & { on: Ground }) {
  const { actions } = useApp()
  const { name } = content
  const input = useRef<HTMLInputElement>(null)
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const [file] = event.currentTarget.files ?? []
    // Cleared, so that picking the same file again counts as a change.
    event.currentTarget.value = ''
    if (file) actions.shareAgain(item.id, file)
  }
  return (
    <>
      <button
        type="button"
        className={cx(css.button, css[on], css.main)}
        onClick={() => input.current?.click()}
      >
        {t`Choose the file again`}
      </button>
      <input
        ref={input}
        type="file"
        className="visually-hidden"
        tabIndex={-1}
        aria-label={t`Choose ${name} again`}
        onChange={onChange}
      />
    </>
  )
}
