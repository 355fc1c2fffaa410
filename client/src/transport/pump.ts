/** Sends the chunks that are wanted on one link, frame by frame as there is room. */
import type { Bytes } from '../crypto/bytes'
import { chunkFrame, chunksPerFrame } from '../protocol/frames'
import type { Turn } from '../protocol/send-queue'
import { STALL_MS } from '../protocol/stall-clock'
import type { Link } from './link'
import type { Outgoing } from './outgoing'

/** Pause between the signs of life while a file is read. Some files are fetched by the system before it reads them. */
const SIGN_INTERVAL_MS = STALL_MS / 4

/**
 * Runs until nothing is wanted on the link that could be sent now. A frame whose bytes are not in memory is read aside, so that a
 * file which is read slowly, or never, holds up no other; it is sent as soon as it is read. A second call while it runs does nothing.
 * @param onUnreadable called when a file can no longer be read
 */
export async function pump(link: Link, onUnreadable: (outgoing: Outgoing) => void): Promise<void> {
  if (link.isPumping) return
  link.isPumping = true
  try {
    for (;;) {
      await hasRoom(link)
      const read = link.read.shift()
      const turn = read?.turn ?? link.queue.next(chunksPerFrame(link.wire.maxFrame))
      // It ends without waiting for anything more: what is read meanwhile would call it in vain.
      if (!turn) return
      const bytes = read ? read.bytes : turn.transfer.file.ready(turn.range)
      if (read || bytes) await send(link, turn, bytes, onUnreadable)
      else void readAside(link, turn, onUnreadable)
    }
  } finally {
    link.isPumping = false
  }
}

async function hasRoom({ wire }: Link): Promise<void> {
  for (let room = wire.room(); room !== null; room = wire.room()) await room
}

async function send(
  link: Link,
  turn: Turn<Outgoing>,
  bytes: Bytes | null,
  onUnreadable: (outgoing: Outgoing) => void,
): Promise<void> {
  const { transfer, range } = turn
  const body = transfer.file.source.sealed ? await seal(turn, bytes) : bytes && [bytes]
  // It was paused or cancelled meanwhile, or the link was lost.
  if (!link.queue.sent(turn)) return
  if (!body) return onUnreadable(transfer)
  transfer.sender.gave(range)
  transfer.carriers.carried(link.key)
  link.wire.send(chunkFrame(transfer.id, range.first, ...body))
}

/** Returns null where there is nothing to seal, or the page cannot. */
async function seal(
  { range, transfer }: Turn<Outgoing>,
  bytes: Bytes | null,
): Promise<readonly Bytes[] | null> {
  const chunks = bytes && transfer.file.source.sealed?.seal(range.first, bytes)
  return (await chunks?.catch(() => null)) ?? null
}

/** Reads a frame, with signs of life as long as it is still wanted, and goes on with the queue after that. */
async function readAside(
  link: Link,
  turn: Turn<Outgoing>,
  onUnreadable: (outgoing: Outgoing) => void,
): Promise<void> {
  const { transfer, range } = turn
  const sign = chunkFrame(transfer.id, range.first, new Uint8Array())
  const signs = setInterval(() => {
    if (link.queue.isTaken(turn)) return link.wire.send(sign.slice())
    clearInterval(signs)
    // Another may be read in its place.
    void pump(link, onUnreadable)
  }, SIGN_INTERVAL_MS)
  const bytes = await transfer.file.read(range)
  clearInterval(signs)
  if (link.queue.isTaken(turn)) link.read.push({ turn, bytes })
  void pump(link, onUnreadable)
}
