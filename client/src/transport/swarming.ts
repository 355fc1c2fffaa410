/**
 * What this device tells the others that receive the same file, and what it makes of what they tell (F19, F20): who has
 * which pieces, who gets which from the device that shared it, and who gave what is wrong.
 */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import type { PieceHash } from '../protocol/piece-checks'
import { STALL_MS } from '../protocol/stall-clock'
import type { Incoming } from './incoming'
import { isPassedOn, type PassingOn } from './passing-on'
import type { RemoteDevice } from './remote-device'
import { STORED } from './stored-link'

/** A file of which more pieces came wrong is damaged where it is. */
const MOST_WRONG = 100
/** How long a device that is to give the last of a file may be silent, in milliseconds. */
const LAST_MS = 2_000

export interface SwarmingEvents {
  /** More can be wanted of those who give a file. */
  onRoom(incoming: Incoming): void
  /** Another device gives a file whose turn may have come. */
  onGiver(incoming: Incoming): void
  /** Whatever comes of a file is wrong. */
  onDamaged(incoming: Incoming): void
}

export class Swarming {
  /** How often a piece came wrong from the device that shared it or the server's copy, by transfer. */
  readonly #wrong = new WeakMap<Incoming, number>()

  constructor(
    readonly transfers: ReadonlyMap<ItemId, Incoming>,
    readonly passing: PassingOn,
    readonly devices: () => Iterable<RemoteDevice>,
    readonly events: SwarmingEvents,
    readonly now: () => number,
  ) {}

  /** A file begins to be received: asks who else has it or receives it. */
  begun(incoming: Incoming): void {
    if (!isPassedOn(incoming.file)) return
    this.passing.add(incoming.file.id, incoming)
    for (const device of this.devices()) if (device.isHere) this.#announce(incoming, device)
  }

  /** Tells a device, on a new link, of the files that this one receives. */
  met(device: RemoteDevice): void {
    for (const incoming of this.transfers.values())
      if (!incoming.hasEnded && isPassedOn(incoming.file)) this.#announce(incoming, device)
  }

  #announce({ source, file }: Incoming, device: RemoteDevice): void {
    if (device !== source) this.passing.announce(file.id, device)
  }

  /** Another device gives pieces of a file, or receives it too. */
  have(device: RemoteDevice, id: ItemId, pieces: readonly ChunkRange[]): void {
    this.passing.heard(id, device, pieces.length === 0)
    const incoming = this.transfers.get(id)
    if (!incoming || incoming.hasEnded || !isPassedOn(incoming.file)) return
    const giver = incoming.givers.add(device, pieces)
    if (!giver || incoming.pausedBy !== null) return
    if (!incoming.isQueued) device.scheduler.begin(giver)
    this.events.onGiver(incoming)
  }

  /** Another device gets pieces from the one that shared the file. */
  claimed(device: RemoteDevice, id: ItemId, pieces: readonly ChunkRange[]): void {
    this.transfers.get(id)?.givers.swarm.claims(device.id, pieces, this.now())
  }

  /** Tells the others what comes from the device that shared the file. Called whenever something is wanted. */
  wanted(incoming: Incoming, now: number): void {
    const pieces = incoming.givers.claims(now)
    if (!pieces) return
    for (const { device } of incoming.givers.others)
      device.say({ type: 'claim', transfer: incoming.file.id, pieces })
  }

  /** The device that shared a file tells the hashes of its pieces. Those of others are not believed. */
  hashes(device: RemoteDevice, id: ItemId, first: number, hashes: readonly PieceHash[]): void {
    const incoming = this.transfers.get(id)
    if (incoming?.source !== device || incoming.hasEnded) return
    incoming.checking.told(first, hashes)
    this.asks(incoming)
  }

  /** Asks for the hashes of pieces that are here and cannot be compared: they were lost, or told to an earlier page. */
  asks({ source, file, checking, isOpen, givers }: Incoming): void {
    if (!isOpen) return
    // A source that has the file no more tells nothing of it.
    if (!source.isHere || givers.sourceOut !== null) return checking.withoutSource()
    const lacking = checking.lacking(this.now())
    if (lacking) source.say({ type: 'ask', transfer: file.id, ...lacking })
  }

  /**
   * A piece is wrong, so it is wanted again. A device that gave all of it gives nothing of the file any more; one of
   * several that gave it cannot be told from the others.
   */
  wrong(incoming: Incoming, piece: number, givers: readonly DeviceId[]): void {
    if (areOfSource(givers, incoming)) this.#count(incoming)
    if (incoming.hasEnded) return
    const [only, ...more] = givers
    const liar = incoming.givers.others.find(({ device }) => device.id === only)
    if (liar && more.length === 0) incoming.givers.ban(liar.device)
    else incoming.givers.swarm.suspects(piece)
    this.events.onRoom(incoming)
  }

  /** Chunks do not open. Unlike with a piece, it is certain who gave them: that device gives nothing of the file any more. */
  unopened(incoming: Incoming, giver: DeviceId): void {
    if (areOfSource([giver], incoming)) this.#count(incoming)
    if (incoming.hasEnded) return
    const liar = incoming.givers.others.find(({ device }) => device.id === giver)
    if (liar) incoming.givers.ban(liar.device)
    this.events.onRoom(incoming)
  }

  /** What is wrong came from where only right pieces come from. Others are not asked again for one. */
  #count(incoming: Incoming): void {
    const times = (this.#wrong.get(incoming) ?? 0) + 1
    this.#wrong.set(incoming, times)
    if (times > MOST_WRONG) this.events.onDamaged(incoming)
  }

  /** A device gives nothing any more of the files that others have shared. */
  left(device: RemoteDevice): void {
    this.passing.left(device)
    for (const incoming of this.transfers.values()) this.drop(incoming, device)
  }

  drop(incoming: Incoming, device: RemoteDevice): void {
    if (incoming.givers.drop(device)) this.events.onRoom(incoming)
  }

  /** A device does not have what is wanted of it. It may have other pieces, so it is asked again after a while. */
  gone(incoming: Incoming, device: RemoteDevice): void {
    if (incoming.givers.rest(device, this.now())) this.events.onRoom(incoming)
  }

  /** Asks the devices again that were left alone for a while. */
  #askAgain(incoming: Incoming, now: number): void {
    const rested = incoming.givers.rested(now)
    if (rested.length === 0) return
    for (const device of this.devices())
      if (device.isHere && rested.includes(device.id)) this.#announce(incoming, device)
  }

  /** Called several times a second while a file moves. */
  tick(incoming: Incoming, now: number): void {
    this.#dropSilent(incoming, now)
    this.#askAgain(incoming, now)
    incoming.givers.tick(now)
    this.wanted(incoming, now)
    this.asks(incoming)
  }

  /**
   * Wants elsewhere what another device was to give and does not. At the end of a file nobody waits long for one that is
   * slow.
   */
  #dropSilent(incoming: Incoming, now: number): void {
    const isLast = incoming.receiver.unasked === 0
    for (const giver of incoming.givers.others) {
      if (!giver.isSilent(isLast ? LAST_MS : STALL_MS, now)) continue
      incoming.givers.rest(giver.device, now)
      this.events.onRoom(incoming)
    }
  }
}

/** Whether all that came is of the device that shared the file, or of the copy that it stored. */
export function areOfSource(givers: readonly DeviceId[], { source }: Incoming): boolean {
  return givers.every((giver) => giver === source.id || giver === STORED)
}
