/**
 * Moves files. Runs in a worker: it holds the links, reads and writes the files, and tells the page how far things are.
 * The rules of a transfer are in `protocol`; here they meet links, sinks and time.
 */
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type CancelReason, decodeFrame, encodeFrame, type Frame } from '../protocol/frames'
import { channelLink, frameLimit } from './channel-link'
import type { EngineCommand, EngineEvent, IncomingFile, Progress } from './engine-messages'
import type { FrameLink, FrameLinkEvents } from './frame-link'
import { Incoming, wordsFor } from './incoming'
import { portLink } from './port-link'
import { PROGRESS_INTERVAL_MS, Speeds } from './progress'
import { pump } from './pump'
import { RELAY_KEY, relayLink } from './relay-link'
import { Remote } from './remote'
import type { OpenSink } from './sinks/open-sink'

/** Nothing came for so long although something was wanted: the link counts as dead. */
const STALL_MS = 8_000

const CANCELLED_TEXT: Record<CancelReason, string> = {
  person: '',
  gone: 'The other device no longer has this file. Ask for it to be shared again.',
  noRoom: 'The other device has no room for this file.',
}

export class Engine {
  readonly #files = new Map<ItemId, Blob>()
  readonly #remotes = new Map<DeviceId, Remote>()
  /** Transfers whose device is not here now. */
  readonly #parked = new Map<DeviceId, Map<ItemId, Incoming>>()
  readonly #speeds = new Speeds()
  #relayUp = false
  #ticking: ReturnType<typeof setInterval> | null = null

  constructor(
    readonly say: (event: EngineEvent, transfer?: Transferable[]) => void,
    readonly openSink: OpenSink,
    readonly now: () => number,
  ) {}

  handle(command: EngineCommand): void {
    switch (command.do) {
      case 'devices':
        return this.#setDevices(command.devices)
      case 'relay':
        return this.#setRelay(command.up)
      case 'relayed':
        return this.#relayed(command.from, command.frame)
      case 'channel':
        return this.#attach(command.device, command.key, (events) =>
          channelLink(command.key, command.channel, events),
        )
      case 'port':
        return this.#attach(command.device, command.key, (events) =>
          portLink(command.key, command.port, events),
        )
      case 'maxMessage':
        return this.#setMaxMessage(command.device, command.key, command.bytes)
      case 'offer':
        this.#files.set(command.id, command.file)
        return
      case 'reoffer':
        return this.#reoffer(command.from, command.to)
      case 'receive':
        return this.#receive(command.file, command.picked)
      case 'cancel':
        return this.#cancel(command.id, command.device)
    }
  }

  // --- devices and links -------------------------------------------------------------------------------------------

  #setDevices(devices: readonly { id: DeviceId; rtc: boolean }[]): void {
    const here = new Set(devices.map((device) => device.id))
    for (const remote of this.#remotes.values()) if (!here.has(remote.id)) this.#park(remote)
    for (const { id, rtc } of devices) {
      const known = this.#remotes.get(id)
      if (known) known.isListed = true
      else this.#meet(id, rtc)
    }
    this.#keepTicking()
  }

  #meet(id: DeviceId, rtc: boolean): void {
    const relay = relayLink((frame) =>
      this.say({ say: 'relay', to: id, frame: frame.buffer }, [frame.buffer]),
    )
    const remote = new Remote(id, rtc, this.now(), relay)
    this.#remotes.set(id, remote)
    for (const [item, incoming] of this.#parked.get(id) ?? []) remote.incoming.set(item, incoming)
    this.#parked.delete(id)
    this.#refill(remote)
  }

  /** A device left the list. Its direct link may be alive still: only a dead link ends what goes over it. */
  #park(remote: Remote): void {
    remote.isListed = false
    if (remote.direct) return
    for (const channel of remote.channels.values()) channel.close()
    this.#remotes.delete(remote.id)
    remote.lost(RELAY_KEY)
    if (remote.incoming.size > 0) this.#parked.set(remote.id, remote.incoming)
    for (const [id, { receiver }] of remote.incoming) {
      this.say({ say: 'receiving', id, progress: { status: 'parked', bytes: receiver.received } })
    }
    for (const [id, { sender }] of remote.outgoing) {
      this.#sayNews(remote, id, { status: 'parked', bytes: sender.sent })
    }
  }

  #setRelay(up: boolean): void {
    this.#relayUp = up
    for (const remote of this.#remotes.values()) {
      if (!up) remote.lost(RELAY_KEY)
      this.#refill(remote)
    }
  }

  #relayed(from: DeviceId, buffer: ArrayBuffer): void {
    const remote = this.#remotes.get(from)
    if (remote) this.#frame(remote, remote.relay, buffer)
  }

  #attach(device: DeviceId, key: string, open: (events: FrameLinkEvents) => FrameLink): void {
    const remote = this.#remotes.get(device)
    if (!remote) return
    const link = open({
      onOpen: () => {
        remote.direct = link
        this.say({ say: 'link', device, key, opened: true })
        // What is still to come through the server comes; what is wanted next goes the short way.
        this.#refill(remote)
      },
      onFrame: (buffer) => this.#frame(remote, link, buffer),
      onClose: () => this.#linkClosed(remote, link),
    })
    remote.channels.set(key, link)
  }

  #linkClosed(remote: Remote, link: FrameLink): void {
    remote.channels.delete(link.key)
    if (remote.direct === link) remote.direct = null
    remote.directFailed = true
    remote.lost(link.key)
    this.say({ say: 'link', device: remote.id, key: link.key, opened: false })
    if (remote.isListed) this.#refill(remote)
    else this.#park(remote)
  }

  #setMaxMessage(device: DeviceId, key: string, bytes: number): void {
    const link = this.#remotes.get(device)?.channels.get(key)
    if (link) link.maxFrame = frameLimit(bytes)
  }

  // --- frames ------------------------------------------------------------------------------------------------------

  #frame(remote: Remote, link: FrameLink, buffer: ArrayBuffer): void {
    const frame = decodeFrame(buffer)
    switch (frame?.type) {
      case 'chunk':
        return remote.incoming.get(frame.transfer)?.chunk(frame.first, frame.bytes, link.kind, this.now())
      case 'want':
        return this.#wanted(remote, link, frame)
      case 'done':
        return this.#endOutgoing(remote, frame.transfer, { status: 'done', file: null, kind: link.kind })
      case 'cancel':
        return this.#cancelledByThem(remote, frame.transfer, frame.reason)
      default:
        return
    }
  }

  #wanted(remote: Remote, link: FrameLink, frame: Extract<Frame, { type: 'want' }>): void {
    const file = this.#files.get(frame.transfer)
    if (!file) return link.send(encodeFrame({ type: 'cancel', transfer: frame.transfer, reason: 'gone' }))
    remote.sending(frame.transfer, file).sender.want(link.key, frame)
    this.#keepTicking()
    void pump(remote, link, {
      onUnreadable: (id) => this.#unreadable(remote, link, id),
    })
  }

  #unreadable(remote: Remote, link: FrameLink, id: ItemId): void {
    if (!remote.outgoing.has(id)) return
    link.send(encodeFrame({ type: 'cancel', transfer: id, reason: 'gone' }))
    const why = 'This file can no longer be read. Was it moved or changed? Share it again.'
    this.#endOutgoing(remote, id, { status: 'failed', bytes: 0, why })
  }

  #endOutgoing(remote: Remote, id: ItemId, progress: Progress): void {
    const known = remote.outgoing.delete(id)
    // A file that ends in its first moment, or has no bytes, was never wanted.
    if (known || this.#files.has(id)) this.#sayNews(remote, id, progress)
    this.#speeds.forget(speedKey(remote, id))
  }

  #sayNews(remote: Remote, id: ItemId, progress: Progress): void {
    this.say({ say: 'sending', id, device: remote.id, progress })
  }

  #cancelledByThem(remote: Remote, id: ItemId, reason: CancelReason): void {
    const why = CANCELLED_TEXT[reason]
    const incoming = remote.incoming.get(id)
    const bytes = incoming?.receiver.received ?? remote.outgoing.get(id)?.sender.sent ?? 0
    const progress: Progress =
      reason === 'person' ? { status: 'cancelled', by: 'them' } : { status: 'failed', bytes, why }
    if (incoming) this.#endIncoming(remote, incoming, progress)
    else if (remote.outgoing.has(id)) this.#endOutgoing(remote, id, progress)
  }

  // --- receiving ---------------------------------------------------------------------------------------------------

  #receive(file: IncomingFile, picked: FileSystemFileHandle | null): void {
    const home = this.#remotes.get(file.from)?.incoming ?? this.#parkedFrom(file.from)
    if (home.has(file.id)) return
    const incoming = new Incoming(file, this.now(), {
      onDurable: () => this.#durable(incoming),
      onBroken: (why) => this.#broken(incoming, why),
    })
    home.set(file.id, incoming)
    const waits = this.#remotes.has(file.from) ? 'queued' : 'parked'
    this.say({ say: 'receiving', id: file.id, progress: { status: waits, bytes: 0 } })
    void this.openSink(file, picked).then(
      (sink) => {
        if (this.#homeOf(incoming)) {
          incoming.opened(sink)
          this.#durable(incoming)
        } else void sink.abort().catch(() => {})
      },
      (error: unknown) => this.#broken(incoming, wordsFor(error)),
    )
    this.#keepTicking()
  }

  #parkedFrom(device: DeviceId): Map<ItemId, Incoming> {
    const parked = this.#parked.get(device) ?? new Map<ItemId, Incoming>()
    this.#parked.set(device, parked)
    return parked
  }

  /** Where a transfer is kept now; undefined once it has ended. */
  #homeOf({ file }: Incoming): Map<ItemId, Incoming> | undefined {
    const homes = [this.#remotes.get(file.from)?.incoming, this.#parked.get(file.from)]
    return homes.find((home) => home?.has(file.id))
  }

  #durable(incoming: Incoming): void {
    const remote = this.#remotes.get(incoming.file.from)
    if (!remote?.incoming.has(incoming.file.id)) return
    if (incoming.receiver.isComplete) void this.#complete(remote, incoming)
    else this.#refill(remote)
  }

  async #complete(remote: Remote, incoming: Incoming): Promise<void> {
    const { id } = incoming.file
    remote.incoming.delete(id)
    this.#speeds.forget(speedKey(remote, id))
    try {
      const file = await incoming.finish()
      this.#tell(remote, { type: 'done', transfer: id })
      this.say({ say: 'receiving', id, progress: { status: 'done', file, kind: incoming.kind } })
    } catch (error) {
      this.#tell(remote, { type: 'cancel', transfer: id, reason: 'noRoom' })
      const bytes = incoming.receiver.received
      this.say({ say: 'receiving', id, progress: { status: 'failed', bytes, why: wordsFor(error) } })
    }
    this.#refill(remote)
  }

  #broken(incoming: Incoming, why: string): void {
    const remote = this.#remotes.get(incoming.file.from)
    if (!this.#homeOf(incoming)) return
    if (remote) this.#tell(remote, { type: 'cancel', transfer: incoming.file.id, reason: 'noRoom' })
    this.#endIncoming(remote, incoming, { status: 'failed', bytes: incoming.receiver.received, why })
  }

  #endIncoming(remote: Remote | undefined, incoming: Incoming, progress: Progress): void {
    const { id } = incoming.file
    this.#homeOf(incoming)?.delete(id)
    incoming.abort()
    this.say({ say: 'receiving', id, progress })
    if (remote) {
      this.#speeds.forget(speedKey(remote, id))
      this.#refill(remote)
    }
  }

  #refill(remote: Remote): void {
    const now = this.now()
    const link = remote.route(now, this.#relayUp)
    if (link) remote.refill(link, now)
  }

  // --- a person's wishes -------------------------------------------------------------------------------------------

  #reoffer(from: ItemId, to: ItemId): void {
    const file = this.#files.get(from)
    if (file) this.#files.set(to, file)
  }

  #cancel(id: ItemId, device: DeviceId | null): void {
    for (const remote of this.#remotes.values()) {
      if (device === null || remote.id === device) this.#cancelWith(remote, id)
    }
    for (const parked of this.#parked.values()) {
      const incoming = parked.get(id)
      if (incoming) this.#endIncoming(undefined, incoming, { status: 'cancelled', by: 'me' })
    }
  }

  #cancelWith(remote: Remote, id: ItemId): void {
    const incoming = remote.incoming.get(id)
    if (!incoming && !remote.outgoing.has(id)) return
    this.#tell(remote, { type: 'cancel', transfer: id, reason: 'person' })
    if (incoming) this.#endIncoming(remote, incoming, { status: 'cancelled', by: 'me' })
    else this.#endOutgoing(remote, id, { status: 'cancelled', by: 'me' })
  }

  /** Tells a device how a transfer ended, on the best way there is. */
  #tell(remote: Remote, frame: Exclude<Frame, { type: 'chunk' }>): void {
    const link = remote.direct ?? (this.#relayUp ? remote.relay : null)
    link?.send(encodeFrame(frame))
  }

  // --- time --------------------------------------------------------------------------------------------------------

  /** Ticks only while something moves or is waited for. */
  #keepTicking(): void {
    this.#ticking ??= setInterval(() => this.#tick(), PROGRESS_INTERVAL_MS)
  }

  #tick(): void {
    const now = this.now()
    let busy = false
    for (const remote of this.#remotes.values()) {
      busy ||= remote.incoming.size > 0 || remote.outgoing.size > 0
      this.#findStalls(remote, now)
      this.#refill(remote)
      for (const incoming of remote.incoming.values()) this.#sayIncoming(remote, incoming, now)
      for (const [id, { sender }] of remote.outgoing) {
        const bytesPerSecond = this.#speeds.sample(speedKey(remote, id), sender.sent, now)
        const kind = remote.direct ? 'direct' : 'relay'
        this.#sayNews(remote, id, { status: 'moving', bytes: sender.sent, bytesPerSecond, kind })
      }
    }
    if (!busy && this.#ticking !== null) {
      clearInterval(this.#ticking)
      this.#ticking = null
    }
  }

  #sayIncoming(remote: Remote, { file, receiver, isOpen }: Incoming, now: number): void {
    const bytes = receiver.received
    const bytesPerSecond = this.#speeds.sample(speedKey(remote, file.id), bytes, now)
    const link = remote.route(now, this.#relayUp)
    const moves = link && isOpen && receiver.outstanding > 0
    const progress: Progress = moves
      ? { status: 'moving', bytes, bytesPerSecond, kind: link.kind }
      : { status: 'queued', bytes }
    this.say({ say: 'receiving', id: file.id, progress })
  }

  #findStalls(remote: Remote, now: number): void {
    const isStalledOn = (key: string) =>
      [...remote.incoming.values()].some(
        ({ receiver, lastArrival }) => receiver.isWaitingOn(key) && now - lastArrival > STALL_MS,
      )
    if (isStalledOn(RELAY_KEY)) remote.lost(RELAY_KEY)
    const { direct } = remote
    if (direct && isStalledOn(direct.key)) {
      this.say({ say: 'stalled', device: remote.id, key: direct.key })
      direct.close()
    }
  }
}

function speedKey(remote: Remote, id: ItemId): string {
  return `${remote.id}/${id}`
}
