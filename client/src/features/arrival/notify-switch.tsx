import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { SwitchRow } from '../../ui/switch-row'
import { useApp } from '../actions'

/** Lets a person wish for a notification when something arrives while the page is hidden. */
export function NotifySwitch() {
  const { stores, actions } = useApp()
  const notifying = useStore(stores.arrivals, (state) => state.notifying)
  if (notifying === 'unsupported') return null
  const isBlocked = notifying === 'blocked'
  return (
    <SwitchRow
      label={t`Tell me when something arrives`}
      hint={
        isBlocked
          ? t`Notifications are blocked in the settings of the browser.`
          : t`A notification, while this page is in the background`
      }
      isOn={notifying === 'on'}
      disabled={isBlocked}
      onTurn={(isOn) => void actions.notifyOfArrivals(isOn)}
    />
  )
}
