import { t } from '@lingui/core/macro'
import { type KeyboardEvent, useState } from 'react'
import { MAX_DEVICE_NAME } from '../../protocol/bindings'
import { isDefaultName } from '../../stores/device-name'
import { Button } from '../../ui/button'
import { isComposing } from '../../ui/composing'
import { useApp } from '../actions'
import css from './device-list.module.css'

/** Gives this device another name, in its row of the device list. */
export function DeviceNameForm({ name, onClose }: { name: string; onClose: () => void }) {
  const { actions } = useApp()
  const [text, setText] = useState(isDefaultName(name) ? '' : name)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return
    // Closes this form and not the list around it.
    event.preventDefault()
    event.stopPropagation()
    onClose()
  }
  return (
    <form
      className={css.form}
      onSubmit={(event) => {
        event.preventDefault()
        actions.renameDevice(text)
        onClose()
      }}
    >
      <input
        ref={(input) => input?.focus()}
        className={css.input}
        aria-label={t`Name of this device`}
        placeholder={t`Its browser and system`}
        maxLength={MAX_DEVICE_NAME}
        autoComplete="off"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <Button size="sm" look="primary" type="submit">
        {t`Save`}
      </Button>
      <Button size="sm" look="ghost" onClick={onClose}>
        {t`Cancel`}
      </Button>
    </form>
  )
}
