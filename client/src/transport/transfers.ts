/**
 * The page's handle on the engine in its worker. A broken worker is replaced: the new one is told which files this
 * device offers, which it was receiving, and what the person has said meanwhile, and the links are rebuilt.
 */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Volume } from '../protocol/link-report'
import type { Channels } from './channel-link'
import type { EngineCommand, EngineEvent, Progress } from './engine-messages'
import { isPausedHere, NO_PAUSES, type Pauses, pausing, reported, turned } from './pauses'
import { bridgeChannels } from './port-link'

/** Pauses before a broken worker is replaced. The last one repeats. */
const RESTART_DELAYS_MS = [250, 1_000, 5_000, 30_000]

/**
 * Files of deleted items that are remembered, because the device that deleted one may bring it back. Most are files on
 * the disk, of which only the name is held.
 */
const MOST_DELETED = 500

/** The part of a worker that is used here. */
export type EngineWorker = Pick<Worker, 'postMessage' | 'terminate' | 'onmessage' | 'onerror'>

type Command<Do extends EngineCommand['do']> = Extract<EngineCommand, { do: Do }>

/** A file that was asked for. */
interface Requested {
  readonly command: Command<'receive' | 'look'>
  /** What the person said last; null while it was neither paused nor gone on with. */
  readonly turned: 'pause' | 'resume' | null
  bytes: number
}

/** A file that this device offers. */
interface Offered {
  readonly command: Command<'offer'>
  readonly pauses: Pauses
  /** How its transfer to each device is doing, of those that have not ended. */
  readonly to: Map<DeviceId, UnderWay>
}

type UnderWay = Extract<Progress, { status: 'queued' | 'parked' | 'paused' | 'moving' }>

/** What a person says of a transfer. */
type Turn = Command<'pause' | 'resume' | 'cancel'>

/** What a person says of an item. */
type Said = Turn | Command<'forget' | 'leave'>

export class Transfers {
  readonly #onEvent: (event: EngineEvent) => void
  readonly #makeWorker: () => EngineWorker
  /** Null while a broken worker waits to be replaced. */
  #worker: EngineWorker | null = null
  #failures = 0
  // Repeated to a new worker.
  #devices: Command<'devices'> | null = null
  #relay: Command<'relay'> = { do: 'relay', use: null }
  #most: Command<'most'> | null = null
  #passOn: Command<'passOn'> | null = null
  readonly #offers = new Map<ItemId, Offered>()
  /** Files that devices receive from the server. */
  readonly #held = new Map<ItemId, Blob>()
  readonly #deleted = new Map<ItemId, Blob>()
  readonly #receives = new Map<ItemId, Requested>()
  /**
   * What the person said while there was no worker, in its order: the next one hears it after all that was before. What ends
   * something is said once more where that one breaks before it has told anything, and so perhaps before it has done it.
   */
  #unheard: Said[] = []
  /** Whether the worker has told anything. */
  #hasTold = false
  /** Bytes of frames that went through the server, by device. */
  readonly #relayed = new Map<DeviceId, Volume>()
  /** Direct links of the worker, by key. */
  readonly #links = new Map<string, DeviceId>()

  constructor(onEvent: (event: EngineEvent) => void, makeWorker: () => EngineWorker = transferWorker) {
    this.#onEvent = onEvent
    this.#makeWorker = makeWorker
    this.#start()
  }

  /** Returns the file that this device offers under an item; null when there is none. */
  offered(id: ItemId): Blob | null {
    return this.#offers.get(id)?.command.file ?? null
  }

  /** Knows the file of an item that devices receive from the server, until the item is gone. */
  hold(id: ItemId, file: Blob): void {
    this.#held.set(id, file)
  }

  /** Returns the file of an item that this device offers or holds; null when there is none. */
  fileOf(id: ItemId): Blob | null {
    return this.offered(id) ?? this.#held.get(id) ?? null
  }

  /** Returns the file that this device offered under an item that was deleted; null when there is none. */
  deleted(id: ItemId): Blob | null {
    return this.#deleted.get(id) ?? null
  }

  /** Lets go of the files of deleted items, because their beam was left. */
  forgetDeleted(): void {
    this.#deleted.clear()
  }

  /** Returns what has gone through the server to a device and come from it; null when nothing has. */
  relayedWith(device: DeviceId): Volume | null {
    return this.#relayed.get(device) ?? null
  }

  #relays(device: DeviceId, { sent = 0, received = 0 }: Partial<Volume>): void {
    const before = this.#relayed.get(device) ?? { sent: 0, received: 0 }
    this.#relayed.set(device, { sent: before.sent + sent, received: before.received + received })
  }

  tell(command: EngineCommand, transfer: Transferable[] = []): void {
    if (command.do === 'relayed') this.#relays(command.from, { received: command.frame.byteLength })
    if (!this.#worker) return this.#tellLater(command)
    if (!this.#hasTold && isEnding(command)) this.#unheard.push(command)
    this.#remember(command)
    this.#worker.postMessage(command, transfer)
  }

  #tellLater(command: EngineCommand): void {
    switch (command.do) {
      case 'pause':
      case 'resume':
      case 'cancel':
        this.#unheard.push(...this.#turnsOf(command))
        return this.#sayTurned(command)
      case 'forget':
      case 'leave':
        this.#unheard.push(command)
    }
    this.#remember(command)
  }

  /**
   * Hands the data channels of a connection to the engine. Must be called in the task that created them: browsers
   * transfer a channel to a worker only then, and some never do.
   */
  addChannels(device: DeviceId, place: number, key: string, channels: Channels): void {
    // Without an engine the link fails and is rebuilt later. Reported later: the caller is still creating it.
    if (!this.#worker) return queueMicrotask(() => this.#onEvent({ say: 'link', device, key, opened: false }))
    this.#links.set(key, device)
    try {
      const { bulk, control } = channels
      this.tell({ do: 'channels', device, place, key, channels }, [
        bulk,
        control,
      ] as unknown as Transferable[])
    } catch {
      const { port1, port2 } = new MessageChannel()
      bridgeChannels(channels, port1)
      this.tell({ do: 'port', device, place, key, port: port2 }, [port2])
    }
  }

  #start(): void {
    const worker = this.#makeWorker()
    this.#worker = worker
    this.#hasTold = false
    worker.onmessage = ({ data }: MessageEvent<EngineEvent>) => {
      if (worker === this.#worker) this.#heard(data)
    }
    worker.onerror = () => {
      if (worker === this.#worker) this.#broke(worker)
    }
    if (this.#devices) worker.postMessage(this.#devices)
    worker.postMessage(this.#relay)
    if (this.#most) worker.postMessage(this.#most)
    if (this.#passOn) worker.postMessage(this.#passOn)
    for (const [id, { command, pauses }] of this.#offers)
      for (const told of [command, ...pausing(id, pauses)]) worker.postMessage(told)
    for (const [id, { command, turned }] of this.#receives) {
      worker.postMessage(command)
      if (turned) worker.postMessage({ do: turned, id, device: null })
    }
    for (const command of this.#unheard) {
      this.#remember(command)
      worker.postMessage(command)
    }
    this.#unheard = this.#unheard.filter(isEnding)
  }

  /** Replaces the worker after a pause. The new one goes on with what the journal has of unfinished files. */
  #broke(worker: EngineWorker): void {
    worker.terminate()
    this.#worker = null
    for (const [key, device] of this.#links) this.#onEvent({ say: 'link', device, key, opened: false })
    for (const device of new Set(this.#links.values())) this.#onEvent({ say: 'bundle', device, size: 1 })
    this.#links.clear()
    for (const [id, requested] of this.#receives) this.#sayWaits(id, requested)
    for (const [id, { to }] of this.#offers)
      for (const [device, { status, bytes }] of to)
        if (status === 'moving') this.#saySending(id, device, { status: 'parked', bytes })
    const delay = RESTART_DELAYS_MS[Math.min(this.#failures, RESTART_DELAYS_MS.length - 1)]
    this.#failures += 1
    setTimeout(() => this.#start(), delay)
  }

  #remember(command: EngineCommand): void {
    switch (command.do) {
      case 'devices':
        this.#devices = command
        return
      case 'relay':
        this.#relay = command
        return
      case 'most':
        this.#most = command
        return
      case 'passOn':
        this.#passOn = command
        return
      case 'offer':
        this.#offers.set(command.id, { command, pauses: NO_PAUSES, to: new Map() })
        this.#deleted.delete(command.id)
        return this.#begins(command.id)
      case 'receive':
      case 'look':
        this.#receives.set(command.file.id, { command, turned: null, bytes: 0 })
        return this.#begins(command.file.id)
      case 'stored': {
        const known = this.#receives.get(command.id)
        if (!known) return
        const file = { ...known.command.file, url: command.url }
        this.#receives.set(command.id, { ...known, command: { ...known.command, file } })
        return
      }
      case 'pause':
      case 'resume':
        this.#turnOffer(command)
        return this.#turnReceive(command)
      case 'cancel':
        return this.#turnOffer(command)
      case 'forget':
      case 'leave':
        this.#withdrawn(command.id)
        this.#held.delete(command.id)
        this.#receives.delete(command.id)
    }
  }

  #withdrawn(id: ItemId): void {
    const offer = this.#offers.get(id)
    if (!offer) return
    this.#offers.delete(id)
    this.#deleted.set(id, offer.command.file)
    const [oldest] = this.#deleted.keys()
    if (oldest !== undefined && this.#deleted.size > MOST_DELETED) this.#deleted.delete(oldest)
  }

  /** The file of an item is asked for, or offered, anew: what was said of it before is void. */
  #begins(id: ItemId): void {
    if (this.#unheard.length > 0) this.#unheard = this.#unheard.filter((command) => command.id !== id)
  }

  #turnOffer(command: Turn): void {
    this.#setPauses(command.id, (pauses) => turned(pauses, command))
  }

  #setPauses(id: ItemId, to: (pauses: Pauses) => Pauses): void {
    const offered = this.#offers.get(id)
    if (offered) this.#offers.set(id, { ...offered, pauses: to(offered.pauses) })
  }

  #turnReceive({ do: how, id, device }: Command<'pause' | 'resume'>): void {
    const known = this.#receives.get(id)
    if (!known || device !== null) return
    this.#receives.set(id, { ...known, turned: how })
  }

  /** A new worker knows none of the devices that are not here: what goes to each of them is cancelled by itself. */
  #turnsOf(command: Turn): readonly Turn[] {
    if (command.do !== 'cancel' || command.device !== null) return [command]
    const devices = this.#offers.get(command.id)?.to.keys() ?? []
    return [...[...devices].map((device) => ({ ...command, device })), command]
  }

  /** Reports what the person has said of a transfer while there is no worker to report it. */
  #sayTurned({ do: how, id, device }: Turn): void {
    const received = this.#receives.get(id)
    if (received && device === null) this.#sayReceiving(id, turnedTo(how, received.bytes))
    for (const [to, progress] of this.#offers.get(id)?.to ?? []) {
      const isMeant = device === null || device === to
      // What the other device has paused goes on when its person says so.
      const isTurned = how !== 'resume' || isPausedHere(progress)
      if (isMeant && isTurned) this.#saySending(id, to, turnedTo(how, progress.bytes))
    }
  }

  #heard(event: EngineEvent): void {
    if (!this.#hasTold) this.#unheard = []
    this.#hasTold = true
    if (event.say === 'link' && !event.opened) this.#links.delete(event.key)
    if (event.say === 'relay') this.#relays(event.to, { sent: event.frame.byteLength })
    if (event.say === 'receiving') this.#follow(event.id, event.progress)
    if (event.say === 'sending') {
      this.#setPauses(event.id, (pauses) => reported(pauses, event.device, event.progress))
      this.#followSent(event.id, event.device, event.progress)
    }
    this.#onEvent(event)
  }

  #follow(id: ItemId, progress: Progress): void {
    const known = this.#receives.get(id)
    if (isUnderWay(progress)) {
      if (known) known.bytes = progress.bytes
    } else if (!mayGoOn(progress)) this.#receives.delete(id)
    // A finished transfer shows that the worker runs, so the next failure begins with the shortest pause.
    if (progress.status === 'done') this.#failures = 0
  }

  #followSent(id: ItemId, device: DeviceId, progress: Progress): void {
    const to = this.#offers.get(id)?.to
    if (isUnderWay(progress)) to?.set(device, progress)
    else to?.delete(device)
  }

  /** A file that comes here waits for a worker. */
  #sayWaits(id: ItemId, { bytes, turned }: Requested): void {
    this.#sayReceiving(id, turnedTo(turned ?? 'resume', bytes))
  }

  #sayReceiving(id: ItemId, progress: Progress): void {
    this.#onEvent({ say: 'receiving', id, progress })
  }

  #saySending(id: ItemId, device: DeviceId, progress: Progress): void {
    this.#followSent(id, device, progress)
    this.#onEvent({ say: 'sending', id, device, progress })
  }
}

/** Whether it ends something here. Pauses are remembered beside what they are of. */
function isEnding(command: EngineCommand): command is Command<'cancel' | 'forget' | 'leave'> {
  return ['cancel', 'forget', 'leave'].includes(command.do)
}

function isUnderWay(progress: Progress): progress is UnderWay {
  return 'bytes' in progress && progress.status !== 'failed'
}

/** Returns how a transfer is doing while there is no worker, after what the person has said of it. */
function turnedTo(how: Turn['do'], bytes: number): Progress {
  switch (how) {
    case 'pause':
      return { status: 'paused', bytes, by: 'me' }
    case 'resume':
      return { status: 'parked', bytes }
    case 'cancel':
      return { status: 'cancelled', by: 'me' }
  }
}

/** Whether the engine goes on with it by itself (F17). */
function mayGoOn(progress: Progress): boolean {
  return progress.status === 'failed' && ['gone', 'sourceRemoved'].includes(progress.why.reason)
}

/** Names the tab's folder. It outlives the worker, so that the next worker does not sweep up what this one received. */
const tab = crypto.randomUUID?.() ?? String(performance.timeOrigin)

function transferWorker(): EngineWorker {
  return new Worker(new URL('./transfer-worker.ts', import.meta.url), { type: 'module', name: tab })
}
