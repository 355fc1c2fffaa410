import { useStore } from 'zustand'
import type { Device } from '../../protocol/bindings'
import { Badge } from '../../ui/badge'
import { Dialog } from '../../ui/dialog'
import { Icon } from '../../ui/icon'
import { useHouse } from '../actions'
import { PATHS } from '../transfer/path-label'
import { deviceIcon } from './device-icon'
import css from './device-list.module.css'

function useTitle(): string {
  const count = useStore(useHouse().stores.devices, (state) => state.devices.length)
  return count === 1 ? '1 device in this beam' : `${count} devices in this beam`
}

/** On the desktop: under the pill. */
export function DevicePopover() {
  const title = useTitle()
  return (
    <section className={css.popover} aria-label={title}>
      <h2 className={css.title}>{title}</h2>
      <DeviceList />
    </section>
  )
}

/** On the phone: a sheet. */
export function DeviceSheet({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={useTitle()} onClose={onClose}>
      <div className={css.sheet}>
        <DeviceList />
      </div>
    </Dialog>
  )
}

function DeviceList() {
  const devices = useStore(useHouse().stores.devices, (state) => state.devices)
  return (
    <ul>
      {devices.map((device) => (
        <DeviceRow key={device.device_id} device={device} />
      ))}
    </ul>
  )
}

function DeviceRow({ device }: { device: Device }) {
  const { devices } = useHouse().stores
  const mine = useStore(devices, (state) => state.me === device.device_id)
  const path = useStore(devices, (state) => state.paths[device.device_id])
  const badge = path && PATHS[path]
  return (
    <li className={css.device}>
      <span className={css.icon}>
        <Icon of={deviceIcon(device.name)} size={20} />
      </span>
      <div className={css.words}>
        <div className={css.name}>{device.name}</div>
        {mine && <div className={css.meta}>This device</div>}
      </div>
      {badge && (
        <Badge tone={badge.tone} icon={badge.icon}>
          {badge.label}
        </Badge>
      )}
    </li>
  )
}
