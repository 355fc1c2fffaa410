/** Sends what was wanted on one link: reads a piece of a file, hands it over frame by frame as there is room. */
import { CHUNK_BYTES, type ItemId } from '../protocol/bindings'
import type { ChunkRange } from '../protocol/chunk-set'
import { chunkFrame, chunksPerFrame } from '../protocol/frames'
import type { FrameLink } from './frame-link'
import type { Outgoing, Remote } from './remote'

/** Chunks read from a file at once: 1 MiB, so that reading costs few tasks. */
const READ_CHUNKS = 64

export interface PumpEvents {
  /** The file cannot be read any more. */
  onUnreadable(id: ItemId): void
}

/** Runs until nothing is wanted on the link. A second call while it runs does nothing. */
export async function pump(remote: Remote, link: FrameLink, events: PumpEvents): Promise<void> {
  if (remote.pumping.has(link.key)) return
  remote.pumping.add(link.key)
  try {
    for (let next = remote.nextOutgoing(link.key); next; next = remote.nextOutgoing(link.key)) {
      const [id, outgoing] = next
      const range = outgoing.sender.next(link.key, READ_CHUNKS)
      const bytes = range && (await read(outgoing.file, range))
      if (!range || !bytes) {
        events.onUnreadable(id)
        continue
      }
      await sendRange(remote, link, id, outgoing, range.first, bytes)
    }
  } finally {
    remote.pumping.delete(link.key)
  }
}

async function sendRange(
  remote: Remote,
  link: FrameLink,
  id: ItemId,
  outgoing: Outgoing,
  first: number,
  bytes: Uint8Array,
): Promise<void> {
  const perFrame = chunksPerFrame(link.maxFrame)
  for (let at = 0; at * CHUNK_BYTES < bytes.byteLength; at += perFrame) {
    const room = link.room()
    if (room !== null) await room
    // Cancelled while it waited.
    if (remote.outgoing.get(id) !== outgoing) return
    const body = bytes.subarray(at * CHUNK_BYTES, (at + perFrame) * CHUNK_BYTES)
    link.send(chunkFrame(id, first + at, body))
  }
}

/** Null when the file is gone or has changed on the disk. */
async function read(file: Blob, { first, count }: ChunkRange): Promise<Uint8Array | null> {
  try {
    const part = file.slice(first * CHUNK_BYTES, (first + count) * CHUNK_BYTES)
    return new Uint8Array(await part.arrayBuffer())
  } catch {
    return null
  }
}
