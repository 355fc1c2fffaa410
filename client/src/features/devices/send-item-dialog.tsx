import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { maySendTo } from '../../stores/clear-copies'
import { deviceName, fileTakers, personName } from '../../stores/devices'
import { Dialog } from '../../ui/dialog'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { deviceIcon } from './device-icon'
import css from './send-dialog.module.css'

/** Sends an item on to one device, of those that are here. */
export function SendItemDialog({ item, onClose }: { item: ItemId; onClose: () => void }) {
  const { stores, actions } = useApp()
  const state = useStore(stores.devices)
  const isFile = useStore(stores.items, ({ items }) =>
    items.some(({ id, content }) => id === item && content.kind === 'file'),
  )
  const reading = {
    encryption: useStore(stores.encryption),
    clearCopies: useStore(stores.clearCopies),
    trust: useStore(stores.trust),
  }
  const others = (
    isFile ? fileTakers(state) : state.devices.filter(({ device_id }) => device_id !== state.me)
  ).filter((device) => maySendTo(device, reading))
  return (
    <Dialog
      title={t`Send to one device`}
      sub={t`It gets a copy that nobody else sees.`}
      cross
      onClose={onClose}
    >
      {others.length === 0 && (
        <p className={css.nobody}>
          {isFile ? t`No other device that takes files is here.` : t`No other device is here.`}
        </p>
      )}
      <ul className={css.devices}>
        {others.map((device) => (
          <li key={device.device_id}>
            <button
              type="button"
              className={css.device}
              onClick={() => {
                void actions.sendItem(item, device.device_id)
                onClose()
              }}
            >
              <span className={css.icon}>
                <Icon of={deviceIcon(device.name)} size={20} />
              </span>
              <span className={css.words}>
                <bdi>{deviceName(state, device.device_id)}</bdi>
                {device.username !== undefined && (
                  <small>
                    <bdi>{personName(device)}</bdi>
                  </small>
                )}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
