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
 * Runs until nothing is wanted on the link. A second call while it runs does nothing.
 * @param onUnreadable called when a file can no longer be read
 */
export async function pump(link: Link, onUnreadable: (outgoing: Outgoing) => void): Promise<void> {
  if (link.isPumping) return
  link.isPumping = true
  try {
    for (let turn = await nextTurn(link); turn; turn = await nextTurn(link)) {
      const { file } = turn.transfer
      const bytes = file.ready(turn.range) ?? (await read(link, turn))
      const body = file.source.sealed ? await seal(turn, bytes) : bytes && [bytes]
      link.queue.sent()
      // It was cancelled meanwhile.
      if (turn.transfer.hasEnded) continue
      if (body) send(link, turn, body)
      else onUnreadable(turn.transfer)
    }
  } finally {
    link.isPumping = false
  }
}

/** Waits for room and takes the next frame; null when nothing is wanted any more. */
async function nextTurn(link: Link): Promise<Turn<Outgoing> | null> {
  for (let room = link.wire.room(); room !== null; room = link.wire.room()) await room
  return link.queue.next(chunksPerFrame(link.wire.maxFrame))
}

function send(link: Link, { transfer, range }: Turn<Outgoing>, body: readonly Bytes[]): void {
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

async function read(link: Link, { transfer, range }: Turn<Outgoing>): Promise<Bytes | null> {
  const sign = chunkFrame(transfer.id, range.first, new Uint8Array())
  const signs = setInterval(() => link.wire.send(sign.slice()), SIGN_INTERVAL_MS)
  try {
    return await transfer.file.read(range)
  } finally {
    clearInterval(signs)
  }
}
