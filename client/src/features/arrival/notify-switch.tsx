import { t } from '@lingui/core/macro'
import { useId } from 'react'
import { useStore } from 'zustand'
import { useApp } from '../actions'
import css from './notify-switch.module.css'

/** Lets a person wish for a notification when something arrives while the page is hidden. */
export function NotifySwitch() {
  const { stores, actions } = useApp()
  const hint = useId()
  const notifying = useStore(stores.arrivals, (state) => state.notifying)
  if (notifying === 'unsupported') return null
  const isBlocked = notifying === 'blocked'
  return (
    <label className={css.row}>
      <span className={css.words}>
        {t`Tell me when something arrives`}
        <span id={hint} className={css.hint}>
          {isBlocked
            ? t`Notifications are blocked in the settings of the browser.`
            : t`A notification, while this page is in the background`}
        </span>
      </span>
      <input
        type="checkbox"
        role="switch"
        aria-checked={notifying === 'on'}
        className={css.switch}
        checked={notifying === 'on'}
        disabled={isBlocked}
        aria-describedby={hint}
        onChange={(event) => void actions.notifyOfArrivals(event.currentTarget.checked)}
      />
    </label>
  )
}
