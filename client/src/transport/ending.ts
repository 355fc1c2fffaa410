/** How a transfer that came here ends: what becomes of its bytes, and why it failed. */
import type { ChunkRange } from '../protocol/chunk-set'
import type { TransferFailure } from '../protocol/transfer-failure'
import { NoRoom, type Sink } from './sinks/sink'

/** What was received of an interrupted transfer waits until the file is received again. */
export type Ending = 'done' | 'cancelled' | 'failed' | 'interrupted'

/**
 * Closes the sink of a transfer that ended.
 * @param last what to keep of an interrupted one; null when nothing has come
 */
export function close(
  sink: Sink,
  how: Ending,
  last: { durable: readonly ChunkRange[]; isPaused: boolean } | null,
): void {
  const { part } = sink
  if (how !== 'interrupted' || !part) return discard(sink, how !== 'interrupted')
  // Where it fails, as on a full disk, the entry before it says what is there.
  if (last) void part.keep(last.durable, last.isPaused).catch(() => {})
  void part.leave().catch(() => {})
}

/** Removes a sink's bytes. A failure is ignored: the sweep of the next start removes the rest. */
export function discard(sink: Sink, isOver = true): void {
  void sink.discard(isOver).catch(() => {})
}

/** Returns why a sink failed. */
export function failureOf(error: unknown): TransferFailure {
  if (error instanceof NoRoom) return error.why
  if (error instanceof DOMException && error.name === 'QuotaExceededError') return { reason: 'diskFull' }
  const message = error instanceof Error ? error.message : ''
  return message === '' ? { reason: 'notWritten' } : { reason: 'other', message }
}
