import { describe, expect, it, vi } from 'vitest'
import { TAG_BYTES } from '../crypto/file-chunks'
import { CHUNK_BYTES, type DeviceId, type ItemId } from '../protocol/bindings'
import { decodeFrame } from '../protocol/frames'
import { STALL_MS } from '../protocol/stall-clock'
import { blake3 } from './blake3'
import { bytes, FILES } from './engine-stage'
import type { FrameLink } from './frame-link'
import { Gate } from './gate'
import { Link } from './link'
import { blobSource, OfferedFile, PieceMemory } from './offered-file'
import { Outgoing } from './outgoing'
import { pump } from './pump'
import { Relay } from './relay-link'
import { RemoteDevice } from './remote-device'

const relay = new Relay({ send: () => {}, ask: () => {} }, () => 0)
const DEVICE = new RemoteDevice('device' as DeviceId, relay)

/** A wire that accepts a few frames at a time. */
class Wire implements FrameLink {
  readonly key = 'wire'
  readonly kind = 'direct'
  /** Room for four chunks, also sealed ones. */
  maxFrame = 4 * (CHUNK_BYTES + TAG_BYTES) + 21
  readonly sent: { transfer: ItemId; first: number; bytes: Uint8Array }[] = []
  /** Number of frames that it accepts before it has no room. */
  takes = Number.POSITIVE_INFINITY
  readonly gate = new Gate()
  readonly unsent = 0
  readonly unsaid = 0

  send(frame: Uint8Array<ArrayBuffer>): void {
    const read = decodeFrame(frame.buffer)
    if (read?.type === 'chunk') this.sent.push(read)
    this.takes -= 1
  }

  say(): void {}

  room(): Promise<void> | null {
    return this.takes > 0 ? null : this.gate.wait()
  }

  close(): void {}
}

const memory = new PieceMemory()

function outgoing(file: Blob, id: ItemId = FILES[0]): Outgoing {
  return new Outgoing(id, new OfferedFile(blobSource(file), memory, blake3), DEVICE)
}

const unreadable = vi.fn()

/** Runs until all that is wanted of some transfers is read and sent. */
async function pumped(link: Link, ...all: readonly Outgoing[]): Promise<void> {
  await pump(link, unreadable)
  await vi.waitFor(() => expect(all.filter((one) => link.queue.has(one))).toEqual([]))
}

describe('f3 the pump', () => {
  it('sends the wanted bytes, in frames that the peer accepts', async () => {
    const wire = new Wire()
    const link = new Link(wire)
    const content = bytes(10 * CHUNK_BYTES + 7)
    const one = outgoing(new Blob([content]))
    link.queue.want(one, { first: 1, count: 10 })
    await pumped(link, one)
    expect(wire.sent.map(({ first }) => first)).toEqual([1, 5, 9])
    expect(Buffer.concat(wire.sent.map((frame) => frame.bytes))).toEqual(
      Buffer.from(content.slice(CHUNK_BYTES)),
    )
  })

  it('reads a piece at once, and takes turns of a frame between files', async () => {
    const wire = new Wire()
    const link = new Link(wire)
    const files = FILES.map((id) => outgoing(new Blob([bytes(32 * CHUNK_BYTES)]), id))
    const reads = files.map(({ file }) => vi.spyOn(file.source, 'read'))
    for (const one of files) link.queue.want(one, { first: 0, count: 16 })
    await pumped(link, ...files)
    expect(wire.sent.slice(0, 6).map(({ transfer }) => transfer)).toEqual([...FILES, ...FILES])
    for (const slice of reads) expect(slice).toHaveBeenCalledTimes(1)
  })

  it('waits for room, and sends nothing of a transfer cancelled meanwhile', async () => {
    const wire = new Wire()
    wire.takes = 1
    const link = new Link(wire)
    const [one, two] = FILES.map((id) => outgoing(new Blob([bytes(8 * CHUNK_BYTES)]), id))
    if (!one || !two) throw new Error('two files')
    link.queue.want(one, { first: 0, count: 8 })
    link.queue.want(two, { first: 0, count: 8 })
    void pump(link, unreadable)
    await vi.waitFor(() => expect(wire.sent).toHaveLength(1))
    one.state = 'cancelled'
    link.queue.forget(one)
    wire.takes = 10
    wire.gate.open()
    await pumped(link, one, two)
    expect(wire.sent.slice(1).every(({ transfer }) => transfer === two.id)).toBe(true)
    expect(two.sender.sent).toBe(8 * CHUNK_BYTES)
  })

  it('runs once on a link, and again when more is wanted', async () => {
    const wire = new Wire()
    const link = new Link(wire)
    const one = outgoing(new Blob([bytes(8 * CHUNK_BYTES)]))
    link.queue.want(one, { first: 0, count: 4 })
    await Promise.all([pumped(link, one), pumped(link, one)])
    link.queue.want(one, { first: 4, count: 4 })
    await pumped(link, one)
    expect(wire.sent.map(({ first }) => first)).toEqual([0, 4])
  })

  it('reports a file that cannot be read, and continues with the others', async () => {
    const wire = new Wire()
    const link = new Link(wire)
    const gone = new Blob([bytes(CHUNK_BYTES)])
    vi.spyOn(gone, 'slice').mockReturnValue({
      arrayBuffer: () => Promise.reject(new DOMException('', 'NotFoundError')),
    } as unknown as Blob)
    const broken = outgoing(gone)
    const fine = outgoing(new Blob([bytes(CHUNK_BYTES)]), FILES[1])
    link.queue.want(broken, { first: 0, count: 1 })
    link.queue.want(fine, { first: 0, count: 1 })
    await pumped(link, broken, fine)
    expect(unreadable).toHaveBeenCalledWith(broken)
    expect(wire.sent.map(({ transfer }) => transfer)).toEqual([FILES[1]])
  })

  it('reads files aside, so that one which is never read holds up no other, and gives its place to another once it is cancelled', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const wire = new Wire()
    const link = new Link(wire)
    const never = Array.from({ length: 8 }, () => outgoing(unread()))
    const [one, two] = FILES.map((id) => outgoing(new Blob([bytes(8 * CHUNK_BYTES)]), id))
    if (!one || !two) throw new Error('two files')
    for (const file of [never[0], one]) if (file) link.queue.want(file, { first: 0, count: 8 })
    await pumped(link, one)
    expect(one.sender.sent).toBe(8 * CHUNK_BYTES)
    // Signs of life are without bytes.
    vi.advanceTimersByTime(STALL_MS)
    expect(wire.sent.filter((frame) => frame.bytes.length === 0)).not.toEqual([])

    for (const file of [...never, two]) link.queue.want(file, { first: 0, count: 8 })
    await pump(link, unreadable)
    expect(two.sender.sent).toBe(0)
    for (const file of never) link.queue.forget(file)
    vi.advanceTimersByTime(STALL_MS)
    await vi.waitFor(() => expect(two.sender.sent).toBe(8 * CHUNK_BYTES))
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })
})

/** A file whose reads never end. */
function unread(): Blob {
  const file = new Blob([bytes(8 * CHUNK_BYTES)])
  vi.spyOn(file, 'slice').mockReturnValue({ arrayBuffer: () => new Promise(() => {}) } as unknown as Blob)
  return file
}
