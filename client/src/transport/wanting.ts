/** Begins the files whose turn has come, and wants chunks of those who give them. */
import type { ChunkRange } from '../protocol/chunk-set'
import type { Incoming } from './incoming'
import type { IncomingFiles } from './incoming-files'
import type { Link } from './link'
import type { Arriving, RemoteDevice } from './remote-device'
import type { OpenSink } from './sinks/sink'
import type { StoredCopies } from './stored-copies'
import type { Swarming } from './swarming'

export class Wanting {
  constructor(
    readonly transfers: IncomingFiles,
    readonly openSink: OpenSink,
    readonly swarming: Swarming,
    readonly stored: StoredCopies,
    readonly now: () => number,
  ) {}

  /** Wants more of every device that gives a file. */
  refillAll({ givers }: Incoming): void {
    for (const device of givers.devices) this.refill(device)
  }

  /** Begins the files whose turn has come, and wants as much as the links have room for (F4). */
  refill(device: RemoteDevice): void {
    const now = this.now()
    const links = device.routes(now)
    if (links.length === 0) return
    const { scheduler } = device
    if (scheduler.hasTurn) this.beginNext(device)
    const keys = links.map(({ key }) => key)
    const idle = new Set(keys.filter((key) => !scheduler.isWaitingOn(key)))
    // An older transfer of the same item may not have ended at the source; its late frames must not go into this one.
    const isReady = ({ isOpen, file }: Arriving) => isOpen && !device.isEnding(file.id)
    for (;;) {
      const want = scheduler.want(keys, isReady, now)
      const link = links.find(({ key }) => key === want?.link)
      if (!want || !link) return
      if (idle.delete(link.key)) link.clock.touch(now)
      this.#want(link, want.transfer, want.range, now)
      if (!link.isPinging(now) && scheduler.meter(link.key).probe(now)) link.ping(now)
    }
  }

  #want(link: Link, transfer: Arriving, range: ChunkRange, now: number): void {
    transfer.wanted(now)
    link.say({ type: 'want', transfer: transfer.file.id, ...range })
    const incoming = this.transfers.get(transfer.file.id)
    if (incoming) this.swarming.wanted(incoming, now)
  }

  /**
   * Begins the files that a device has shared, in their order, as far as their turn has come. What cannot come now, from
   * that device or from elsewhere, keeps no other file from its turn.
   */
  beginNext(source: RemoteDevice): void {
    const files = [...this.transfers.from(source)].filter((incoming) => this.#canCome(incoming))
    const begun = files.flatMap(({ isQueued, givers }) => (isQueued ? [] : (givers.of(source) ?? [])))
    let turns = source.scheduler.turnsBeside(begun)
    for (const incoming of files) {
      if (turns <= 0) return
      if (!incoming.isQueued) continue
      turns -= 1
      incoming.givers.begin()
      incoming.open(this.openSink)
    }
  }

  #canCome(incoming: Incoming): boolean {
    const { givers } = incoming
    return givers.canGive(this.now()) || givers.others.length > 0 || this.stored.has(incoming)
  }
}
