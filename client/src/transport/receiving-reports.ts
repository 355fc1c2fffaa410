/** Reports to the page how the files that come are doing. */
import type { ItemId } from '../protocol/bindings'
import type { EngineEvent, Progress } from './engine-messages'
import type { Incoming } from './incoming'

export class ReceivingReports {
  constructor(
    readonly tell: (event: EngineEvent) => void,
    readonly now: () => number,
  ) {}

  /** How a file that moves is doing. Called several times a second. */
  moves(incoming: Incoming): void {
    const now = this.now()
    const { receiver, file, speed, givers } = incoming
    const isCarried = givers.canGive(now) || receiver.waitingOn(givers.storedKey) > 0
    if (!isCarried || !incoming.isOpen || receiver.outstanding === 0) return this.waits(incoming)
    const bytes = receiver.received
    const bytesPerSecond = speed.sample(bytes, now)
    incoming.waits = null
    const { twice } = receiver
    this.say(file.id, { status: 'moving', bytes, bytesPerSecond, twice, via: givers.via(now) })
  }

  /** A file waits: for its turn, for its device, or for a person. Each state is reported once. */
  waits(incoming: Incoming): void {
    const { source, received: bytes, pausedBy: by, givers } = incoming
    const now = this.now()
    givers.carriers.rests(now)
    if (by !== null) return this.say(incoming.file.id, { status: 'paused', bytes, by })
    const needsDirect = source.needsDirect(now)
    // A file that has begun waits for its device also while no link to it is open.
    const canGoOn = (source.isHere && (bytes === 0 || source.routes(now).length > 0)) || givers.canGive(now)
    const waits = needsDirect ? 'direct' : canGoOn ? 'queued' : 'parked'
    if (incoming.waits === waits) return
    incoming.waits = waits
    const status = waits === 'queued' ? 'queued' : 'parked'
    this.say(incoming.file.id, needsDirect ? { status: 'parked', bytes, needsDirect } : { status, bytes })
  }

  say(id: ItemId, progress: Progress): void {
    this.tell({ say: 'receiving', id, progress })
  }
}
