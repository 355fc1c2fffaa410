import X from 'lucide-react/icons/x'
import { useState } from 'react'
import { useStore } from 'zustand'
import type { Device } from '../../protocol/bindings'
import { mayRemoveDevices } from '../../stores/beam-access'
import { deviceName } from '../../stores/devices'
import { Avatar } from '../../ui/avatar'
import { Badge } from '../../ui/badge'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Dialog } from '../../ui/dialog'
import { Icon } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { NotifySwitch } from '../arrival/notify-switch'
import { KeptRow } from '../keep/kept-row'
import { PATHS } from '../transfer/path-label'
import { deviceIcon } from './device-icon'
import css from './device-list.module.css'

function useTitle(): string {
  const count = useStore(useApp().stores.devices, (state) => state.devices.length)
  return count === 1 ? '1 device in this beam' : `${count} devices in this beam`
}

/** The device list on desktops, below the pill. */
export function DevicePopover() {
  const title = useTitle()
  return (
    <section className={css.popover} aria-label={title}>
      <h2 className={css.title}>{title}</h2>
      <DeviceList />
    </section>
  )
}

/** The device list on phones, as a sheet. */
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
  const { stores, actions } = useApp()
  const devices = useStore(stores.devices, (state) => state.devices)
  const mayRemove = useStore(stores.access, mayRemoveDevices)
  // Only a saved beam's link can be renewed.
  const isSaved = useStore(stores.access, ({ kind }) => kind === 'saved')
  const way = isSaved ? 'renew it under Share in My Beams' : 'make a new beam'
  const nameOf = ({ device_id }: Device) => deviceName(stores.devices.getState(), device_id)
  const [removing, setRemoving] = useState<Device | null>(null)
  return (
    <>
      <ul>
        {devices.map((device) => (
          <DeviceRow key={device.device_id} device={device} onRemove={mayRemove ? setRemoving : null} />
        ))}
      </ul>
      <KeptRow />
      <NotifySwitch />
      {removing && (
        <ConfirmDialog
          title="Remove device"
          question={`Are you sure you want to remove ${nameOf(removing)} from this beam?`}
          warning={`It cannot come back under this name. To keep out everybody who has the link, ${way}.`}
          action="Remove device"
          onConfirm={() => actions.removeDevice(removing.device_id)}
          onClose={() => setRemoving(null)}
        />
      )}
    </>
  )
}

interface DeviceRowProps {
  device: Device
  /** Null on a device that may not remove others. */
  onRemove: ((device: Device) => void) | null
}

function DeviceRow({ device, onRemove }: DeviceRowProps) {
  const { devices } = useApp().stores
  const mine = useStore(devices, (state) => state.me === device.device_id)
  const path = useStore(devices, (state) => state.paths[device.device_id])
  const badge = path && PATHS[path]
  const name = useStore(devices, (state) => deviceName(state, device.device_id))
  const person = personOf(device)
  // A long name of a person is cut off at its end.
  const meta = [mine && 'This device', person?.name].filter(Boolean).join(' · ')
  return (
    <li className={css.device}>
      {person?.picture ? (
        <Avatar name={person.name} picture={person.picture} size={40} />
      ) : (
        <span className={css.icon}>
          <Icon of={deviceIcon(device.name)} size={20} />
        </span>
      )}
      <div className={css.words}>
        <div className={css.name}>{name}</div>
        {meta && <div className={css.meta}>{meta}</div>}
      </div>
      {badge && (
        <Badge tone={badge.tone} icon={badge.icon}>
          {badge.label}
        </Badge>
      )}
      {onRemove && !mine && (
        <IconButton
          icon={X}
          label={`Remove device ${name}`}
          look="small"
          iconSize={16}
          onClick={() => onRemove(device)}
        />
      )}
    </li>
  )
}

/** Returns the person who is logged in on a device (B7); null for a guest. */
function personOf(device: Device): { name: string; picture: string | null } | null {
  const { username, first_name, last_name, profile_picture } = device
  if (username === undefined) return null
  const name = [first_name, last_name].filter(Boolean).join(' ').trim()
  return { name: name === '' ? `@${username}` : name, picture: profile_picture ?? null }
}
