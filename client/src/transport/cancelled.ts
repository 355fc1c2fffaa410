/** What a `cancel` from the other device means for a transfer, at either end of it. */
import type { CancelReason } from '../protocol/frames'
import type { TransferFailure } from '../protocol/transfer-failure'
import type { Progress } from './engine-messages'

const CANCELLED_THERE: Record<Exclude<CancelReason, 'person' | 'paused'>, TransferFailure> = {
  gone: { reason: 'gone' },
  noRoom: { reason: 'noRoomThere' },
}

/** Returns the progress for a `cancel` from the other device. */
export function cancelledByThem(reason: CancelReason, bytes: number): Progress {
  if (reason === 'person') return { status: 'cancelled', by: 'them' }
  if (reason === 'paused') return { status: 'paused', bytes, by: 'them' }
  return { status: 'failed', bytes, why: CANCELLED_THERE[reason] }
}
