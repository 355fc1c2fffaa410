/** Owns every file that this device offers, and each device's copy on its way. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { CancelReason, Frame } from '../protocol/frames'
import type { EngineEvent, Progress } from './engine-messages'
import type { Link } from './link'
import { Outgoing } from './outgoing'
import { pump } from './pump'
import { cancelledByThem } from './receiving'
import type { RemoteDevice } from './remote-device'

interface Offer {
  readonly file: Blob
  /** A device that asks again begins a new one. */
  readonly to: Map<RemoteDevice, Outgoing>
}

export class Sending {
  readonly #offers = new Map<ItemId, Offer>()

  constructor(
    readonly say: (event: EngineEvent) => void,
    readonly now: () => number,
  ) {}

  offer(id: ItemId, file: Blob): void {
    this.#offers.set(id, { file, to: new Map() })
  }

  /** A device wants chunks, on the link on which it is to have them (F3). */
  wanted(device: RemoteDevice, link: Link, frame: Extract<Frame, { type: 'want' }>): void {
    const offer = this.#offers.get(frame.transfer)
    if (!offer) return link.say({ type: 'cancel', transfer: frame.transfer, reason: 'gone' })
    // It has not heard yet that this was cancelled.
    if (device.isEnding(frame.transfer)) return
    const outgoing = this.#outgoing(offer, frame.transfer, device)
    const range = outgoing.sender.within(frame)
    if (!range) return
    outgoing.state = 'moving'
    link.queue.want(outgoing, range)
    void pump(link, (unreadable) => {
      const why = 'This file can no longer be read. Was it moved or changed? Share it again.'
      this.#end(unreadable, { status: 'failed', bytes: unreadable.sender.sent, why }, 'gone')
    })
  }

  #outgoing(offer: Offer, id: ItemId, device: RemoteDevice): Outgoing {
    const known = offer.to.get(device)
    if (known && !known.hasEnded) return known
    const outgoing = new Outgoing(id, offer.file, device)
    offer.to.set(device, outgoing)
    return outgoing
  }

  /** A device has all of a file. It may say so more than once. */
  done(device: RemoteDevice, link: Link, id: ItemId): void {
    const offer = this.#offers.get(id)
    if (!offer) return
    // An empty file was never wanted.
    const outgoing = offer.to.get(device) ?? this.#outgoing(offer, id, device)
    if (outgoing.state === 'done') return
    this.#stop(outgoing, 'done')
    this.#say(outgoing, { status: 'done', file: null, kind: link.kind })
  }

  cancelledByThem(device: RemoteDevice, id: ItemId, reason: CancelReason): void {
    const outgoing = this.#offers.get(id)?.to.get(device)
    if (outgoing && !outgoing.hasEnded) {
      this.#end(outgoing, cancelledByThem(reason, outgoing.sender.sent), null)
    }
  }

  /** The person cancelled, with one device or with all. */
  cancel(id: ItemId, device: DeviceId | null): void {
    for (const outgoing of this.#offers.get(id)?.to.values() ?? []) {
      if (outgoing.hasEnded || (device !== null && outgoing.to.id !== device)) continue
      this.#end(outgoing, { status: 'cancelled', by: 'me' }, 'person')
    }
  }

  /** The item is gone: nobody can have it from here any more. Nothing is said to the page: it knows. */
  forget(id: ItemId): void {
    const offer = this.#offers.get(id)
    this.#offers.delete(id)
    for (const outgoing of offer?.to.values() ?? []) {
      if (!outgoing.hasEnded) this.#stop(outgoing, 'cancelled', 'person')
    }
  }

  /** Nothing may go to a device through the server, and nothing else is there. */
  forbidden(device: RemoteDevice): void {
    const why = 'In this beam this device can only read, so it cannot send files through the server.'
    for (const outgoing of this.#movingTo(device)) {
      if (!device.direct) this.#end(outgoing, { status: 'failed', bytes: outgoing.sender.sent, why }, 'gone')
    }
  }

  /** The server dropped frames to a device: the device may want them again. */
  sayDropped(device: RemoteDevice): void {
    for (const { id } of this.#movingTo(device)) device.relay.say({ type: 'dropped', transfer: id })
  }

  /** Whether anything goes to a device. */
  isMovingTo(device: RemoteDevice): boolean {
    return this.#movingTo(device).next().value !== undefined
  }

  /** Whether a device took, or takes, anything that is remembered. */
  knows(device: RemoteDevice): boolean {
    return [...this.#offers.values()].some(({ to }) => to.has(device))
  }

  /** A device went away: what goes to it waits for it. */
  park(device: RemoteDevice): void {
    for (const outgoing of this.#movingTo(device)) {
      outgoing.state = 'parked'
      this.#say(outgoing, { status: 'parked', bytes: outgoing.sender.sent })
    }
  }

  /** Tells how far each file to a device is. */
  sayProgress(device: RemoteDevice): void {
    const now = this.now()
    const kind = device.direct ? 'direct' : 'relay'
    for (const outgoing of this.#movingTo(device)) {
      const bytes = outgoing.sender.sent
      const bytesPerSecond = outgoing.speed.sample(bytes, now)
      this.#say(outgoing, { status: 'moving', bytes, bytesPerSecond, kind })
    }
  }

  *#movingTo(device: RemoteDevice): Generator<Outgoing, undefined> {
    for (const { to } of this.#offers.values()) {
      const outgoing = to.get(device)
      if (outgoing?.state === 'moving') yield outgoing
    }
  }

  /** @param reason what to tell the other device; null when it knows */
  #end(outgoing: Outgoing, progress: Progress, reason: CancelReason | null): void {
    this.#stop(outgoing, progress.status === 'failed' ? 'failed' : 'cancelled', reason)
    this.#say(outgoing, progress)
  }

  #stop(outgoing: Outgoing, how: 'done' | 'cancelled' | 'failed', reason: CancelReason | null = null): void {
    const { to, id } = outgoing
    outgoing.state = how
    for (const link of to.links) link.queue.forget(outgoing)
    if (reason) to.end({ type: 'cancel', transfer: id, reason }, this.now())
  }

  #say(outgoing: Outgoing, progress: Progress): void {
    this.say({ say: 'sending', id: outgoing.id, device: outgoing.to.id, progress })
  }
}
