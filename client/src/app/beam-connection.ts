/** Being in a beam: the live channel, the links to its devices, and what of it goes into which store. */

import type { Device, DeviceId, ServerMessage } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { BeamSession } from '../stores/beam-session'
import { type DevicesEvent, reduceDevices } from '../stores/devices'
import { type ItemsEvent, reduceItems } from '../stores/items'
import type { Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import { hasRtc } from '../transport/has-rtc'
import { LiveBeam, type LiveBeamStatus } from '../transport/live-beam'
import { PeerLinks } from '../transport/peer-links'
import { openSignalSocket } from '../transport/signal-socket'
import type { Transfers } from '../transport/transfers'
import { deviceName as nameOf } from './device-name'
import { deviceToken } from './session-storage'
import type { Toaster } from './toaster'

export interface BeamConnectionEvents {
  onStatus(status: LiveBeamStatus): void
  /** Items may be new: files among them may be received by themselves. */
  onItems(): void
}

export interface BeamConnection {
  readonly live: LiveBeam
  readonly links: PeerLinks
  leave(): void
}

/** Joins a beam and keeps the stores true until `leave`. */
export function joinBeam(
  session: BeamSession,
  stores: Stores,
  transfers: Transfers,
  toaster: Toaster,
  events: BeamConnectionEvents,
): BeamConnection {
  const devices = (event: DevicesEvent) =>
    stores.devices.setState((state) => reduceDevices(state, event), true)
  const items = (event: ItemsEvent) => {
    const before = stores.items.getState().items
    stores.items.setState((state) => reduceItems(state, event), true)
    stopTransfersOf(before, stores, transfers)
    events.onItems()
  }
  const links = openLinks(transfers, devices, (to, message) => live.signal(to, message))
  let beamed = false
  const live = new LiveBeam(
    {
      beamId: session.beamId,
      beamKey: session.beamKey,
      auth: (takeNewToken) => ({
        v: 1,
        caps: hasRtc() ? ['files', 'rtc'] : ['files'],
        name: nameOf(navigator.userAgent),
        device_token: deviceToken(session.beamId, takeNewToken),
      }),
      open: openSignalSocket,
      random: Math.random,
    },
    {
      onStatus(status) {
        transfers.tell({ do: 'relay', up: status.status === 'live' })
        if (status.status === 'live' && !beamed) {
          beamed = true
          toaster.ok('Beaming')
        }
        events.onStatus(status)
      },
      onMessage: (message) => receive(message, { devices, items, links, stores, transfers, toaster }),
      onSynced: (synced) => items({ type: 'synced', ...synced }),
      onRelayed: (from, frame) => transfers.tell({ do: 'relayed', from, frame }, [frame]),
    },
  )
  const leave = () => {
    live.leave()
    links.close()
    transfers.tell({ do: 'relay', up: false })
    transfers.tell({ do: 'devices', devices: [] })
    devices({ type: 'left' })
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
  }
  return { live, links, leave }
}

/** An item that was deleted takes its transfer with it. */
function stopTransfersOf(before: readonly Item[], stores: Stores, transfers: Transfers): void {
  const kept = new Set(stores.items.getState().items.map((item) => item.id))
  for (const { id } of before) {
    if (kept.has(id)) continue
    const transfer = stores.transfers.getState().transfers[id]
    const url =
      transfer?.role === 'sending' ? transfer.url : transfer?.state.status === 'done' && transfer.state.url
    if (url) URL.revokeObjectURL(url)
    transfers.tell({ do: 'cancel', id, device: null })
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'forgotten', id }), true)
  }
}

interface Reach {
  devices(event: DevicesEvent): void
  items(event: ItemsEvent): void
  readonly links: PeerLinks
  readonly stores: Stores
  readonly transfers: Transfers
  readonly toaster: Toaster
}

function receive(message: ServerMessage, reach: Reach): void {
  switch (message.type) {
    case 'welcome':
      reach.devices({ type: 'welcomed', me: message.message.device_id })
      return reach.links.welcome(message.message.device_id, message.message.ice_servers)
    case 'authed_users':
      return listed(message.message, reach)
    case 'rec_clipboard':
      return reach.items({ type: 'received', item: message })
    case 'delete_note':
      return reach.items({ type: 'deleted', message: message.message, id: message.id })
    case 'signal':
      return reach.links.handleSignal(message.extra.from, message.message)
    case 'error':
      // These two mend themselves: the receiver wants again.
      if (message.extra === 'relay_full' || message.extra === 'device_gone') return
      return reach.toaster.bad(message.message)
    case 'auth_success':
    case 'sync':
      return
  }
}

function listed(list: readonly Device[], { devices, links, stores, transfers }: Reach): void {
  devices({ type: 'listed', devices: list })
  const { me } = stores.devices.getState()
  const others = list.filter(({ device_id, caps }) => device_id !== me && caps.includes('files'))
  for (const { device_id, caps } of others) {
    if (!hasRtc() || !caps.includes('rtc')) devices({ type: 'path', device: device_id, path: 'relay' })
  }
  // The engine must know a device before a channel to it is made.
  transfers.tell({
    do: 'devices',
    devices: others.map(({ device_id, caps }) => ({ id: device_id, rtc: hasRtc() && caps.includes('rtc') })),
  })
  if (!hasRtc()) return
  links.setDevices(list)
}

function openLinks(
  transfers: Transfers,
  devices: (event: DevicesEvent) => void,
  sendSignal: (to: DeviceId, message: unknown) => void,
): PeerLinks {
  const loadPeerLink = async () => (await import('../transport/peer-link')).openPeerLink
  return new PeerLinks(loadPeerLink, () => crypto.randomUUID?.() ?? String(Math.random()), {
    sendSignal,
    takeChannel: (device, session, channel) => transfers.addChannel(device, session, channel),
    onConnect(device, session, via, bytes) {
      transfers.tell({ do: 'maxMessage', device, key: session, bytes })
      devices({ type: 'path', device, path: via })
    },
    onClose: (device) => devices({ type: 'path', device, path: 'relay' }),
  })
}
