import { t } from '@lingui/core/macro'
import { type ChangeEvent, useRef } from 'react'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './ask-buttons.module.css'
import type { FileRowProps, Ground } from './file-row'
import type { FileRow } from './file-view'

interface ChooseAgainProps extends Pick<FileRowProps, 'item' | 'content'> {
  actions: FileRow['actions']
  on: Ground
}

/** Asks for a file that a reload lost, or for the right to read it, so that it can be offered again. */
export function ChooseAgain({ actions, ...rest }: ChooseAgainProps) {
  if (actions.includes('allow')) return <AllowAgain {...rest} />
  return actions.includes('choose') ? <PickAgain {...rest} /> : null
}

/** Whether a row has one of these buttons. */
export function asksForFile({ actions }: FileRow): boolean {
  return actions.includes('allow') || actions.includes('choose')
}

function AllowAgain({ item, on }: Omit<ChooseAgainProps, 'actions'>) {
  const { actions } = useApp()
  return (
    <button
      type="button"
      className={cx(css.button, css[on], css.main)}
      onClick={() => actions.offerKept(item.id)}
    >
      {t`Offer it again`}
    </button>
  )
}

function PickAgain({ item, content, on }: Omit<ChooseAgainProps, 'actions'>) {
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
