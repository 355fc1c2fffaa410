/** Being in a beam: the live channel, the links to its devices, and what of it goes into which store. */

import type { Device, DeviceId, ServerMessage } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { BeamSession } from '../stores/beam-session'
import { type DevicesEvent, reduceDevices } from '../stores/devices'
import { type ItemsEvent, reduceItems } from '../stores/items'
import type { Stores } from '../stores/stores'
import { reduceTransfers, type Transfer } from '../stores/transfers'
import { hasRtc } from '../transport/has-rtc'
import { LiveBeam, type LiveBeamOptions, type LiveBeamStatus, type StopReason } from '../transport/live-beam'
import { PeerLinks } from '../transport/peer-links'
import { openSignalSocket } from '../transport/signal-socket'
import type { Transfers } from '../transport/transfers'
import { AccessNews } from './access-news'
import { type BeamNotes, createBeamNotes } from './beam-notes'
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
  /** Takes the beam into the account. Resolves to null once it is saved, else to why it is not. */
  save(name: string): Promise<string | null>
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
  const notes = createBeamNotes(session.beamId, stores, toaster, items)
  const access = new AccessNews(stores, toaster)
  const reach = { devices, items, links, notes, access, stores, transfers, toaster }
  let beamed = false
  const live = new LiveBeam(liveOptions(session), {
    onStatus(status) {
      transfers.tell({ do: 'relay', up: status.status === 'live' })
      if (status.status === 'live') notes.load()
      else access.lost()
      if (status.status === 'live' && !beamed) {
        beamed = true
        toaster.ok('Beaming')
      }
      if (status.status === 'stopped') stopped(status.why, reach)
      events.onStatus(status)
    },
    onMessage: (message) => receive(message, reach),
    onSynced: (synced) =>
      items({ type: 'synced', ...synced, note: isSaved(stores) ? { mine: false } : null }),
    onRelayed: (from, frame) => transfers.tell({ do: 'relayed', from, frame }, [frame]),
  })
  const leave = () => {
    live.leave()
    notes.end()
    access.lost()
    cutLinks(reach)
    transfers.tell({ do: 'relay', up: false })
    stores.access.setState({ kind: 'unknown' }, true)
    stores.items.setState((state) => reduceItems(state, { type: 'left' }), true)
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'left' }), true)
  }
  return { live, links, save: (name) => access.save(() => live.save(name)), leave }
}

function liveOptions({ beamId, beamKey }: BeamSession): LiveBeamOptions {
  return {
    beamId,
    beamKey,
    auth: (takeNewToken) => ({
      v: 1,
      caps: hasRtc() ? ['files', 'rtc'] : ['files'],
      name: nameOf(navigator.userAgent),
      device_token: deviceToken(beamId, takeNewToken),
    }),
    open: openSignalSocket,
    random: Math.random,
  }
}

function isSaved({ access }: Stores): boolean {
  return access.getState().kind === 'saved'
}

/** The beam is not tried again by itself: its notes go, and where this device may not be any more, its links too. */
function stopped(why: StopReason, reach: Reach): void {
  reach.notes.end()
  reach.items({ type: 'notesGone' })
  if (why === 'forbidden' || why === 'logged-out') cutLinks(reach)
}

function cutLinks({ links, transfers, devices }: Reach): void {
  links.close()
  transfers.tell({ do: 'devices', devices: [] })
  devices({ type: 'left' })
}

/** An item that was deleted takes its transfer with it. */
function stopTransfersOf(before: readonly Item[], stores: Stores, transfers: Transfers): void {
  const kept = new Set(stores.items.getState().items.map((item) => item.id))
  for (const { id } of before) {
    if (kept.has(id)) continue
    const transfer = stores.transfers.getState().transfers[id]
    const url = transfer && blobAddress(transfer)
    if (url) URL.revokeObjectURL(url)
    transfers.tell({ do: 'cancel', id, device: null })
    stores.transfers.setState((state) => reduceTransfers(state, { type: 'forgotten', id }), true)
  }
}

function blobAddress(transfer: Transfer): string | null {
  if (transfer.role !== 'receiving') return transfer.url
  return transfer.state.status === 'done' ? transfer.state.url : null
}

interface Reach {
  devices(event: DevicesEvent): void
  items(event: ItemsEvent): void
  readonly links: PeerLinks
  readonly notes: BeamNotes
  readonly access: AccessNews
  readonly stores: Stores
  readonly transfers: Transfers
  readonly toaster: Toaster
}

function receive(message: ServerMessage, reach: Reach): void {
  const { access, notes } = reach
  switch (message.type) {
    case 'welcome':
      access.hear(message)
      reach.devices({ type: 'welcomed', me: message.message.device_id })
      return reach.links.welcome(message.message.device_id, message.message.ice_servers)
    case 'authed_users':
      return listed(message.message, reach)
    case 'rec_clipboard':
      return reach.items({ type: 'received', item: message, note: notes.markOf(message.from) })
    case 'delete_note':
      reach.items({ type: 'deleted', message: message.message, id: message.id })
      return reloadNotes(reach)
    case 'beam_saved':
      // What was live until now has become notes.
      access.hear(message)
      return notes.load()
    case 'beam_renamed':
    case 'access_changed':
      return access.hear(message)
    case 'signal':
      return reach.links.handleSignal(message.extra.from, message.message)
    case 'error':
      return refused(message, reach)
    case 'auth_success':
    case 'sync':
      return
  }
}

function refused(error: Extract<ServerMessage, { type: 'error' }>, reach: Reach): void {
  // These two mend themselves: the receiver wants again.
  if (error.extra === 'relay_full' || error.extra === 'device_gone') return
  if (reach.access.refused(error.message)) return
  reach.toaster.bad(error.message)
  // What was not deleted after all comes back.
  if (error.extra === 'forbidden') reloadNotes(reach)
}

/** An unsaved beam has no notes: its list need not be read again. */
function reloadNotes({ notes, stores }: Reach): void {
  if (isSaved(stores)) notes.load()
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
