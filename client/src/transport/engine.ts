/**
 * Moves files between this device and the others. It runs in a worker, knows the devices and their links, and reports
 * progress to the page. `Receiving` and `Sending` own the transfers; `protocol` has the rules, which know no clock.
 */
import type { DeviceId, RelayUse } from '../protocol/bindings'
import { MOST_CONNECTIONS } from '../protocol/bundle'
import { decodeFrame } from '../protocol/frames'
import { channelLink, frameLimit } from './channel-link'
import type { EngineCommand, EngineEvent } from './engine-messages'
import type { FrameLink, FrameLinkEvents } from './frame-link'
import type { Means } from './incoming'
import { Link } from './link'
import { PieceMemory } from './offered-file'
import { PassingOn } from './passing-on'
import { portLink } from './port-link'
import { PROGRESS_INTERVAL_MS } from './progress'
import { Receiving } from './receiving'
import { Relay } from './relay-link'
import { RemoteDevice } from './remote-device'
import { Sending } from './sending'
import type { ReceivedBytes } from './sinks/sink'

/** A tick that is this late means that the device slept. The silence until then says nothing about the links. */
const SLEPT_MS = 2_000

type Refusal = Extract<EngineCommand, { do: 'refused' }>['why']

export class Engine {
  readonly #devices = new Map<DeviceId, RemoteDevice>()
  readonly #relay: Relay
  readonly #receiving: Receiving
  readonly #sending: Sending
  readonly #passing: PassingOn
  /** Devices that were removed from the beam. A link to one may still carry its frames. */
  readonly #removed = new Set<DeviceId>()
  #most = MOST_CONNECTIONS
  #ticking: ReturnType<typeof setInterval> | null = null
  #lastTick = 0

  constructor(
    readonly say: (event: EngineEvent, transfer?: Transferable[]) => void,
    files: ReceivedBytes,
    means: Means,
    readonly now: () => number,
  ) {
    const socket = {
      send: (to: DeviceId, frame: Uint8Array<ArrayBuffer>) =>
        say({ say: 'relay', to, frame: frame.buffer }, [frame.buffer]),
      ask: () => say({ say: 'askRelay' }),
    }
    this.#relay = new Relay(socket, now)
    const memory = new PieceMemory()
    this.#sending = new Sending(say, means.hash, memory, () => this.#devices.values(), now)
    this.#passing = new PassingOn(this.#sending, memory)
    this.#receiving = new Receiving(
      say,
      files,
      means,
      this.#passing,
      () => this.#devices.values(),
      now,
      () => this.#keepTicking(),
    )
  }

  handle(command: EngineCommand): void {
    this.#obey(command)
    this.#keepTicking()
  }

  #obey(command: EngineCommand): void {
    switch (command.do) {
      case 'devices':
        return this.#setDevices(command.devices)
      case 'removed':
        return this.#remove(command.devices)
      case 'relay':
        return this.#setRelay(command.use)
      case 'relayed':
        return this.#relayed(command.from, command.frame)
      case 'relayWaits':
        return this.#relay.waits(command.bytes)
      case 'refused':
        return this.#refused(command.device, command.why)
      case 'channels':
        return this.#attach(command, (events) => channelLink(command.key, command.channels, events))
      case 'port':
        return this.#attach(command, (events) => portLink(command.key, command.port, events))
      case 'dropChannel':
        return this.#devices.get(command.device)?.wireOf(command.key)?.close()
      case 'maxMessage':
        return this.#setMaxMessage(command.device, command.key, command.bytes)
      case 'most':
        this.#most = command.connections
        return
      case 'passOn':
        return this.#passing.allow(command.isAllowed)
      case 'offer':
        this.#sending.offer(command.id, command.file, command.seal)
        for (const device of this.#devices.values()) this.#sending.sayIfMissed(device, command.id)
        return
      case 'receive':
        return this.#receiving.receive(command.file, command.picked, this.#device(command.file.from))
      case 'stored':
        return this.#receiving.stored(command.id, command.url)
      case 'cancel':
        if (command.device === null) this.#receiving.cancel(command.id)
        return this.#sending.cancel(command.id, command.device)
      case 'pause':
        if (command.device === null) this.#receiving.pause(command.id)
        return this.#sending.pause(command.id, command.device)
      case 'resume':
        if (command.device === null) this.#receiving.resume(command.id)
        else this.#sending.resumeFor(this.#device(command.device), command.id)
        return this.#sending.resume(command.id, command.device)
      case 'look':
        return this.#receiving.look(command.file, () => this.#device(command.file.from))
      case 'list':
        return this.#receiving.sayUnfinished()
      case 'forget':
      case 'leave':
        this.#receiving[command.do](command.id)
        this.#sending.forget(command.id)
        for (const device of this.#devices.values()) this.#dropUnused(device)
        return
    }
  }

  // --- devices and links -------------------------------------------------------------------------------------------

  #device(id: DeviceId): RemoteDevice {
    const known = this.#devices.get(id)
    if (known) return known
    const device = new RemoteDevice(id, this.#relay)
    this.#devices.set(id, device)
    return device
  }

  #setDevices(devices: readonly { id: DeviceId; rtc: boolean }[]): void {
    const here = new Set(devices.map(({ id }) => id))
    for (const device of this.#devices.values()) {
      if (here.has(device.id) || !device.isListed) continue
      device.unlist()
      this.#left(device)
    }
    for (const { id, rtc } of devices) {
      this.#removed.delete(id)
      const device = this.#device(id)
      if (device.isListed) continue
      device.list(rtc, this.now())
      this.#sayUnheard(device)
      this.#receiving.retry(device)
      this.#receiving.refill(device)
    }
  }

  /** Repeats on a new link what the device may not have heard. */
  #sayUnheard(device: RemoteDevice): void {
    device.sayEnds(this.now())
    this.#sending.sayOffered(device)
    this.#receiving.swarming.met(device)
  }

  #remove(devices: readonly DeviceId[]): void {
    for (const id of devices) {
      this.#removed.add(id)
      const device = this.#devices.get(id)
      if (!device) continue
      this.#sending.removed(device)
      this.#receiving.removed(device)
      device.unlist()
      for (const { wire } of device.links) wire.close()
      this.#left(device)
    }
  }

  /** A device is no longer listed, or a link to it closed. It is away only when no link is left. */
  #left(device: RemoteDevice): void {
    if (device.isHere) return
    this.#receiving.park(device)
    this.#sending.park(device)
    this.#dropUnused(device)
  }

  /** Forgets a device that has no link and no transfer. */
  #dropUnused(device: RemoteDevice): void {
    const isKnown = device.isInUse || this.#receiving.knows(device) || this.#sending.knows(device)
    // A late event of a link may concern a device that was forgotten and has come back as a new object.
    if (!isKnown && this.#devices.get(device.id) === device) this.#devices.delete(device.id)
  }

  #setRelay(use: RelayUse | null): void {
    const wasUp = this.#relay.isUp
    this.#relay.use = use
    for (const device of this.#devices.values()) {
      if (this.#relay.isUp) this.#sayUnheard(device)
      else this.#lostRelay(device)
      // Its page may have begun anew meanwhile, and then knows of no pause.
      if (this.#relay.isUp && !wasUp) this.#receiving.retry(device)
      this.#receiving.refill(device)
    }
  }

  #relayed(from: DeviceId, buffer: ArrayBuffer): void {
    const device = this.#device(from)
    this.#frame(device, device.relay, buffer)
  }

  /** The server refused one of our frames. It does not say which, so what was lost is asked for again (R2, R3). */
  #refused(id: DeviceId, why: Refusal): void {
    const device = this.#devices.get(id)
    if (!device) return
    if (why === 'forbidden' && !device.direct) return this.#sending.forbidden(device)
    device.pauseRelay(this.now())
    if (why === 'device_gone') this.#lostRelay(device)
  }

  #lostRelay(device: RemoteDevice): void {
    device.lostRelay()
    if (!device.direct) this.#sending.lostLink(device)
  }

  #attach(
    { device: id, place }: { device: DeviceId; place: number },
    open: (events: FrameLinkEvents) => FrameLink,
  ): void {
    const device = this.#device(id)
    const wire = open({
      onOpen: () => this.#opened(device, link),
      onFrame: (buffer) => this.#frame(device, link, buffer),
      onClose: () => this.#closed(device, link),
    })
    const link = new Link(wire, place)
    device.opening(link)
  }

  #opened(device: RemoteDevice, link: Link): void {
    if (this.#removed.has(device.id)) return link.wire.close()
    device.opened(link)
    this.say({ say: 'link', device: device.id, key: link.key, opened: true })
    this.#sayUnheard(device)
    // Its page may have begun anew while this device could not see it leave.
    if (device.direct === link && device.links.length === 2) this.#receiving.retry(device)
    // What was wanted through the server still arrives there; what is wanted next goes over the direct link.
    this.#receiving.refill(device)
    this.#keepTicking()
  }

  #closed(device: RemoteDevice, link: Link): void {
    device.closed(link)
    this.say({ say: 'link', device: device.id, key: link.key, opened: false })
    this.#sayUnheard(device)
    this.#receiving.refill(device)
    // On another link the device wants at once what it does not get here.
    if (!device.direct) this.#sending.lostLink(device)
    this.#left(device)
    this.#keepTicking()
  }

  #setMaxMessage(id: DeviceId, key: string, bytes: number): void {
    const wire = this.#devices.get(id)?.wireOf(key)
    if (wire) wire.maxFrame = frameLimit(bytes)
  }

  #frame(device: RemoteDevice, link: Link, buffer: ArrayBuffer): void {
    const frame = this.#removed.has(device.id) ? null : decodeFrame(buffer)
    switch (frame?.type) {
      case 'chunk':
        return this.#receiving.chunk(device, link, frame)
      case 'want':
        // What was wanted on a link that has closed is wanted again on another.
        if (device.has(link)) this.#sending.wanted(device, link, frame)
        return this.#keepTicking()
      case 'done':
        this.#sending.done(device, frame.transfer)
        return link.say({ type: 'ended', transfer: frame.transfer })
      case 'cancel':
        this.#receiving.cancelledByThem(device, frame.transfer, frame.reason)
        this.#sending.cancelledByThem(device, frame.transfer, frame.reason)
        return link.say({ type: 'ended', transfer: frame.transfer })
      case 'ended':
        device.heardEnd(frame.transfer, this.now())
        this.#sending.heardEnd(device, frame.transfer)
        return this.#receiving.refill(device)
      case 'dropped':
        return this.#receiving.dropped(device, link, frame.transfer)
      case 'hashes':
        return this.#receiving.swarming.hashes(device, frame.transfer, frame.first, frame.hashes)
      case 'ask':
        return void this.#sending.asked(device, frame)
      case 'have':
        return this.#receiving.swarming.have(device, frame.transfer, frame.pieces)
      case 'claim':
        return this.#receiving.swarming.claimed(device, frame.transfer, frame.pieces)
      case 'offered':
        return this.#receiving.offered(device, frame.transfer)
      case 'ping':
        return link.say({ ...frame, type: 'pong' })
      case 'pong':
        return this.#measured(device, link, frame.token)
      default:
        return
    }
  }

  #measured(device: RemoteDevice, link: Link, token: string): void {
    const now = this.now()
    const roundTrip = device.has(link) ? link.pong(token, now) : null
    if (roundTrip === null) return
    device.scheduler.meter(link.key).answered(roundTrip, now)
    this.#receiving.refill(device)
  }

  // --- time --------------------------------------------------------------------------------------------------------

  /** Runs the timer only while something moves or is waited for. */
  #keepTicking(): void {
    if (this.#ticking !== null || !this.#isBusy()) return
    this.#lastTick = this.now()
    this.#ticking = setInterval(() => this.#tick(), PROGRESS_INTERVAL_MS)
  }

  #isBusy(): boolean {
    return this.#receiving.hasStored || [...this.#devices.values()].some((one) => this.#isBusyWith(one))
  }

  #isBusyWith(device: RemoteDevice): boolean {
    if (!device.isHere) return false
    const isMoving = this.#receiving.isMovingFrom(device) || this.#sending.isMovingTo(device)
    return isMoving || device.isPaused || device.hasEnds || device.bundleSize > 1
  }

  #tick(): void {
    const now = this.now()
    const slept = now - this.#lastTick > SLEPT_MS
    this.#lastTick = now
    this.#relay.look()
    if (slept) this.#woke(now)
    for (const device of this.#devices.values()) {
      if (device.resumesRelay(now)) this.#relayResumed(device)
      device.repeatEnds(now)
      this.#findStalls(device, now)
      this.#probe(device, now)
      this.#fitLinks(device, now)
      this.#receiving.refill(device)
      if (device.isHere) this.#sending.sayProgress(device)
    }
    this.#receiving.tick()
    if (this.#ticking !== null && !this.#isBusy()) {
      clearInterval(this.#ticking)
      this.#ticking = null
    }
  }

  /** This device slept: what did not come meanwhile says nothing about the links and the other devices. */
  #woke(now: number): void {
    for (const { links } of this.#devices.values()) for (const link of links) link.clock.touch(now)
    this.#receiving.woke()
  }

  #relayResumed(device: RemoteDevice): void {
    this.#sending.sayDropped(device)
    this.#sayUnheard(device)
  }

  #fitLinks(device: RemoteDevice, now: number): void {
    const before = device.bundleSize
    const size = device.fitLinks(this.#most, now)
    if (size !== before) this.say({ say: 'bundle', device: device.id, size })
  }

  /** Measures the round trip of the links on which something is expected (F15). */
  #probe(device: RemoteDevice, now: number): void {
    for (const link of device.routes(now)) {
      if (!device.scheduler.isWaitingOn(link.key)) continue
      if (!link.isPinging(now) && device.scheduler.meter(link.key).probe(now)) link.ping(now)
    }
  }

  /** Finds dead links. Only what this device wants there is lost; the other device decides about its own `want`. */
  #findStalls(device: RemoteDevice, now: number): void {
    const waiting = device.links.filter(({ key }) => device.scheduler.isWaitingOn(key))
    // A link is given more time for the others that take their share of its way, but none for others that are as silent.
    const isCarried = waiting.some(({ kind, clock }) => kind !== 'relay' && !clock.isSilent(now))
    const sharing = isCarried ? waiting.length : 1
    for (const link of waiting) {
      if (!link.clock.isStalled(now, sharing)) continue
      if (link.kind === 'relay') device.scheduler.lost(link.key)
      else {
        this.say({ say: 'stalled', device: device.id, key: link.key })
        link.wire.close()
      }
    }
  }
}
