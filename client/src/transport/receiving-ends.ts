/** Ends what this device receives: what becomes of its bytes, and what its device and the page are told. */

import type { ItemId } from '../protocol/bindings'
import type { CancelReason } from '../protocol/frames'
import type { TransferFailure } from '../protocol/transfer-failure'
import type { Ending } from './ending'
import type { Progress } from './engine-messages'
import type { Incoming } from './incoming'
import type { IncomingFiles } from './incoming-files'
import { isPassedOn, type PassingOn, wholeOf } from './passing-on'
import type { ReceivingReports } from './receiving-reports'
import type { ReceivedBytes } from './sinks/sink'
import type { StoredCopies } from './stored-copies'
import type { Wanting } from './wanting'

export class ReceivingEnds {
  constructor(
    readonly transfers: IncomingFiles,
    readonly files: ReceivedBytes,
    readonly passing: PassingOn,
    readonly stored: StoredCopies,
    readonly wanting: Wanting,
    readonly reports: ReceivingReports,
    readonly now: () => number,
  ) {}

  /** Completes a file whose bytes are all durable. The source need not be here any more. */
  async complete(incoming: Incoming): Promise<void> {
    const { source, file, receiver } = incoming
    incoming.givers.end()
    const finished = await incoming.finish()
    if (!finished || incoming.hasEnded) return
    incoming.end('done')
    source.end({ type: 'done', transfer: file.id }, this.now())
    const { isKept } = incoming
    const via = incoming.givers.via(this.now())
    this.reports.say(file.id, { status: 'done', file: finished.file, twice: receiver.twice, via, isKept })
  }

  /** The place of a file failed. What is on a full disk stays: the person may make room and go on with it. */
  broke(incoming: Incoming, why: TransferFailure): void {
    const how = why.reason === 'diskFull' && incoming.canWait ? 'interrupted' : 'failed'
    this.end(incoming, { status: 'failed', bytes: incoming.received, why }, 'noRoom', how)
  }

  /**
   * An earlier page has received the whole file. It may have ended before the source had heard of that, as while that one was
   * away. It counts as a transfer that is done, so whatever its source still sends or offers of it is answered (F7).
   */
  found(incoming: Incoming, whole: Blob): void {
    const { source, file } = incoming
    incoming.end('done')
    this.transfers.set(file.id, incoming)
    source.end({ type: 'done', transfer: file.id }, this.now())
    if (isPassedOn(file)) this.passing.add(file.id, wholeOf(whole, file.seal))
    this.reports.say(file.id, { status: 'done', file: whole, twice: 0, via: null, isKept: true })
  }

  /** @param reason the reason to send to the other device; null when it already knows */
  end(
    incoming: Incoming,
    progress: Progress,
    reason: CancelReason | null,
    how: Exclude<Ending, 'done'> = progress.status === 'failed' ? 'failed' : 'cancelled',
  ): void {
    this.#stop(incoming, how, reason)
    this.reports.say(incoming.file.id, progress)
    this.wanting.refillAll(incoming)
  }

  /**
   * Ends the transfer of a file that nobody has any more. The person at its source may offer it again, and a source that was
   * not here goes on with it when it comes back. One that is being finished needs nobody.
   */
  endIfGone(incoming: Incoming): void {
    const { givers, received, isFinishing } = incoming
    if (isFinishing) return
    if (givers.sourceOut === null && !this.stored.isForsaken(incoming)) return
    if (givers.mayOthersGive(this.now()) || this.stored.has(incoming)) return
    const why = { reason: givers.sourceOut ?? 'gone' } as const
    this.end(incoming, { status: 'failed', bytes: received, why }, null, 'interrupted')
  }

  /**
   * The person has picked another place for a file that comes, to which it comes from now on. Neither its source nor the page is told
   * of an end. What is at a place that they had picked before is given up once the new one opens, which may be the same.
   */
  replaced(incoming: Incoming): void {
    this.#stop(incoming, incoming.picked ? 'interrupted' : 'cancelled', null)
  }

  /** Removes the transfer of an item that is gone, or whose beam was left. The page is not told, because it knows. */
  drop(id: ItemId, how: 'cancelled' | 'interrupted'): void {
    this.passing.remove(id)
    const incoming = this.transfers.get(id)
    if (!incoming) return
    this.transfers.delete(id)
    if (!incoming.hasEnded) this.#stop(incoming, how, 'person')
    this.wanting.refillAll(incoming)
  }

  /** The source still sends a transfer that has ended or is paused here: tells it so, once. */
  unexpected({ source, file: { id: transfer }, isDone, refusal }: Incoming): void {
    if (!refusal) return
    if (source.isEnding(transfer)) return source.contradicts(transfer)
    source.end(
      isDone ? { type: 'done', transfer } : { type: 'cancel', transfer, reason: refusal },
      this.now(),
    )
  }

  #stop(incoming: Incoming, how: Exclude<Ending, 'done'>, reason: CancelReason | null): void {
    const { source, file } = incoming
    // What an earlier page has received of it is opened only when its turn comes.
    if (incoming.isUntouched && how !== 'interrupted') void this.files.forget(file.id).catch(() => {})
    this.stored.stop(incoming)
    incoming.givers.end()
    incoming.end(how, reason)
    this.passing.remove(file.id)
    if (reason) source.end({ type: 'cancel', transfer: file.id, reason }, this.now())
  }
}
