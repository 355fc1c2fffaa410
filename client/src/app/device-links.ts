/** The other devices of the beam, and the direct links to those that have WebRTC. */
import type { Device, DeviceId, IceServer } from '../protocol/bindings'
import { mostConnections } from '../protocol/bundle'
import { type DevicesEvent, reduceDevices } from '../stores/devices'
import type { Stores } from '../stores/stores'
import { hasRtc } from '../transport/has-rtc'
import { PeerLinks } from '../transport/peer-links'
import type { Transfers } from '../transport/transfers'
import { loadable } from '../ui/lazy-part'
import type { BeamChannel } from './beam-channel'

// Loaded with the first other device, not with the first page.
const loadPeerLink = loadable(() => import('../transport/peer-link'))

export class DeviceLinks {
  readonly peers: PeerLinks
  readonly #store: Stores['devices']
  readonly #transfers: Transfers

  constructor(
    { devices, power }: Pick<Stores, 'devices' | 'power'>,
    transfers: Transfers,
    sendSignal: (to: DeviceId, message: unknown) => void,
  ) {
    this.#store = devices
    this.#transfers = transfers
    this.peers = this.#openLinks(sendSignal)
    this.peers.setMost(mostConnections(power.getState()))
  }

  welcome(me: DeviceId, iceServers: readonly IceServer[]): void {
    this.#apply({ type: 'welcomed', me })
    this.peers.welcome(me, iceServers)
  }

  /**
   * Sets the devices that are here now.
   * @param channel says which links to them may be made: none before this device has been let into a sealed beam
   */
  list(devices: readonly Device[], channel: Pick<BeamChannel, 'mayLink' | 'mayConnect'>): void {
    this.#apply({ type: 'listed', devices })
    const { me } = this.#store.getState()
    if (!channel.mayLink) return
    const connects = (device: Device) => hasRtc() && device.caps.includes('rtc') && channel.mayConnect(device)
    const others = devices.filter(({ device_id, caps }) => device_id !== me && caps.includes('files'))
    for (const device of others) {
      if (!connects(device)) this.#apply({ type: 'path', device: device.device_id, path: 'relay' })
    }
    // The engine must know a device before a channel to it is created.
    this.#transfers.tell({
      do: 'devices',
      devices: others.map((device) => ({ id: device.device_id, rtc: connects(device) })),
    })
    if (hasRtc()) this.peers.setDevices(devices.filter((device) => channel.mayConnect(device)))
  }

  /** A device has said its name under the keys of the beam. */
  name(device: DeviceId, name: string): void {
    this.#apply({ type: 'said', device, name })
  }

  /** Ends the links to devices that were removed from the beam (S25). */
  remove(devices: readonly DeviceId[]): void {
    this.#apply({ type: 'removed', devices })
    this.#transfers.tell({ do: 'removed', devices })
    this.peers.remove(devices)
  }

  /** Closes all links. */
  cut(): void {
    this.peers.close()
    this.#transfers.tell({ do: 'devices', devices: [] })
    this.#apply({ type: 'left' })
  }

  #apply(event: DevicesEvent): void {
    this.#store.setState((state) => reduceDevices(state, event), true)
  }

  #openLinks(sendSignal: (to: DeviceId, message: unknown) => void): PeerLinks {
    return new PeerLinks(
      async () => (await loadPeerLink()).openPeerLink,
      () => crypto.randomUUID?.() ?? String(Math.random()),
      {
        sendSignal,
        takeChannels: (device, place, key, channels) =>
          this.#transfers.addChannels(device, place, key, channels),
        dropChannel: (device, key) => this.#transfers.tell({ do: 'dropChannel', device, key }),
        onConnect: (device, key, bytes) => this.#transfers.tell({ do: 'maxMessage', device, key, bytes }),
        onPath: (device, via) => this.#apply({ type: 'path', device, path: via }),
        onClose: (device) => this.#apply({ type: 'path', device, path: 'relay' }),
      },
    )
  }
}
