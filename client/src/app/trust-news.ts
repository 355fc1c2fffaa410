/** Tells in toasts what is to be compared (E8): a device that wants to come in, and one that has let this one in. */
import { t } from '@lingui/core/macro'
import type { DeviceId } from '../protocol/bindings'
import { deviceName } from '../stores/devices'
import type { Stores } from '../stores/stores'
import type { Trust } from '../stores/trust'
import type { LastingToast, Toaster } from './toaster'

type Watched = Pick<Stores, 'connection' | 'deviceList' | 'devices' | 'trust'>

/** Starts to watch what is known of the devices. Call it once. */
export function tellTrust({ connection, deviceList, devices, trust }: Watched, toaster: Toaster): void {
  const knocks = new Map<DeviceId, LastingToast>()
  const endKnocks = (isOver: (device: DeviceId) => boolean) => {
    for (const [device, toast] of knocks) {
      if (!isOver(device)) continue
      toast.end()
      knocks.delete(device)
    }
  }
  const tell = (device: DeviceId, now: Trust, before: Trust | undefined) => {
    const name = deviceName(devices.getState(), device)
    const run = () => deviceList.setState({ kind: 'open', at: device }, true)
    const look = { label: t`Look`, run }
    if (isAsking(now) && !isAsking(before))
      knocks.set(device, toaster.lasting(t`${name} wants to come in`, look))
    if (hasLetIn(now, before)) toaster.info(t`Compare the pictures with ${name}`, look)
  }
  trust.subscribe((now, before) => {
    endKnocks((device) => !isAsking(now.devices[device]))
    // Whoever looks at the list sees it there.
    if (deviceList.getState().kind === 'open') return
    for (const [device, known] of Object.entries(now.devices))
      tell(device as DeviceId, known, before.devices[device as DeviceId])
  })
  deviceList.subscribe(({ kind }) => {
    if (kind === 'open') endKnocks(() => true)
  })
  connection.subscribe(({ status }) => {
    // Nobody can be let in from here any more.
    if (status === 'idle' || status === 'stopped') endKnocks(() => true)
  })
}

function isAsking(trust: Trust | undefined): boolean {
  return trust?.state === 'asking'
}

/** Whether the device has just let this one in, and its person alone has compared them. */
function hasLetIn(now: Trust, before: Trust | undefined): boolean {
  return now.isIn && now.state === 'unverified' && before?.isIn === false
}
