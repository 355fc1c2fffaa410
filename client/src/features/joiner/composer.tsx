import { t } from '@lingui/core/macro'
import ArrowUp from 'lucide-react/icons/arrow-up'
import { useRef, useState } from 'react'
import { heightAs } from '../../ui/height-property'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { MessageField } from '../toolbar/message-field'
import css from './composer.module.css'

// Toasts are above the bar.
const barHeight = heightAs('--bar')

/** The message field of phones, within reach of the thumb. */
export function Composer() {
  const { actions } = useApp()
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const trimmed = text.trim()
  const send = () => {
    if (trimmed === '') return
    actions.shareText(trimmed)
    setText('')
  }
  return (
    <form
      className={css.composer}
      data-dock
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div ref={barHeight} className={css.bar}>
        <MessageField
          ref={field}
          label={t`Message`}
          placeholder={t`Message`}
          text={text}
          onText={setText}
          onSend={send}
        />
        <IconButton
          type="submit"
          icon={ArrowUp}
          label={t`Send`}
          look="accent"
          iconSize={20}
          className={css.send}
          disabled={trimmed === ''}
        />
      </div>
    </form>
  )
}
