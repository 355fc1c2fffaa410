import { expect, it, vi } from 'vitest'
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type ControlFrame, encodeFrame } from '../protocol/frames'
import { HASH_BYTES, type PieceHash } from '../protocol/piece-checks'
import { PIECE_BYTES } from '../protocol/pieces'
import { type Channels, channelLink } from './channel-link'
import { OfferedFile, PieceMemory } from './offered-file'
import { Outgoing } from './outgoing'
import { PieceHashes } from './piece-hashes'
import { READ_WITHIN_MS } from './within'

const ID = '00000000-0000-4000-8000-000000000001' as ItemId
/** Bytes that wait on a data channel's `control` before the link counts as broken. */
const CONTROL_BYTES = 256 * 1024

/** A file of so many pieces, of which each was hashed before, and a device that receives it. */
function scene(pieces: number) {
  const said: Extract<ControlFrame, { type: 'hashes' }>[] = []
  const reads: number[] = []
  const source = {
    size: pieces * PIECE_BYTES,
    sealed: null,
    read: async (position: number, length: number) => {
      reads.push(position / PIECE_BYTES)
      return new Uint8Array(length)
    },
  }
  const file = new OfferedFile(source, new PieceMemory(), async () => hashOf(0))
  const to = {
    id: 'b' as DeviceId,
    links: [],
    unsaid: 0,
    carrying: () => ({ links: [], server: false }),
    say: (frame: ControlFrame) => frame.type === 'hashes' && said.push(frame),
    end: () => {},
    isEnding: () => false,
  }
  const knows = (range: Iterable<number>) => {
    for (const piece of range) file.hashes.set(piece, hashOf(piece))
  }
  const told = () => said.flatMap(({ first, hashes }) => hashes.map((_, at) => first + at))
  return { outgoing: new Outgoing(ID, file, to), to, knows, said, told, reads }
}

function hashOf(piece: number): PieceHash {
  return new Uint8Array(HASH_BYTES).fill(piece % 256)
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at)
}

it('f19_tells_a_device_that_begins_all_that_is_known_a_part_at_a_time', () => {
  const { outgoing, knows, said, told } = scene(20_000)
  knows(upTo(20_000))
  const hashes = new PieceHashes()
  hashes.tell(outgoing)
  expect(said.reduce((sum, frame) => sum + encodeFrame(frame).byteLength, 0)).toBeLessThan(CONTROL_BYTES)
  for (let times = 0; times < 30; times++) hashes.tell(outgoing)
  expect(told()).toEqual(upTo(20_000))
})

it('f19_tells_only_what_it_has_not_told, and nothing of pieces that were not read', () => {
  const { outgoing, knows, told } = scene(10)
  const hashes = new PieceHashes()
  knows([2, 3])
  hashes.tell(outgoing)
  knows([0, 7])
  hashes.made([outgoing], 7, hashOf(7))
  for (let times = 0; times < 3; times++) hashes.tell(outgoing)
  expect(told()).toEqual([2, 3, 7, 0])
})

it('f19_tells_the_rest_once_what_was_told_has_left', async () => {
  const { outgoing, to, knows, told } = scene(5)
  const hashes = new PieceHashes()
  knows([0, 1])
  to.unsaid = CONTROL_BYTES
  hashes.made([outgoing], 1, hashOf(1))
  hashes.tell(outgoing)
  await hashes.asked(outgoing, { type: 'ask', transfer: ID, first: 0, count: 2 })
  expect(told()).toEqual([])
  to.unsaid = 0
  hashes.tell(outgoing)
  expect(told()).toEqual([0, 1])
})

it('f19_a_slow_link_that_hears_of_many_large_files_is_told_all_and_never_overflows', async () => {
  /** Bytes that leave between two looks, a quarter of a second apart. */
  const leaves = 10_000
  const control = { readyState: 'open', bufferedAmount: 0, send, close: () => {} }
  function send(frame: Uint8Array) {
    control.bufferedAmount += frame.byteLength
  }
  const bulk = { ...control, bufferedAmount: 0 }
  const onClose = vi.fn()
  const events = { onOpen: () => {}, onFrame: () => {}, onClose }
  const link = channelLink('slow', { bulk, control } as unknown as Channels, events)
  const files = upTo(9).map(() => scene(2_000))
  for (const { to, knows } of files) {
    knows(upTo(2_000))
    const { say } = to
    Object.defineProperty(to, 'unsaid', { get: () => link.unsaid })
    to.say = (frame) => {
      link.say(encodeFrame(frame))
      return say(frame)
    }
  }
  const hashes = new PieceHashes()
  for (let look = 0; look < 100; look++) {
    for (const { outgoing } of files) hashes.tell(outgoing)
    control.bufferedAmount = Math.max(0, control.bufferedAmount - leaves)
    await Promise.resolve()
  }
  expect(onClose).not.toHaveBeenCalled()
  for (const { told } of files) expect(told()).toEqual(upTo(2_000))
})

it('f19_answers_with_all_that_is_known, and reads no more than 64 pieces for one question', async () => {
  const { outgoing, knows, told, reads } = scene(3_000)
  knows(upTo(900))
  await new PieceHashes().asked(outgoing, { type: 'ask', transfer: ID, first: 0, count: 2_000 })
  expect(reads).toEqual(upTo(64).map((at) => 900 + at))
  expect(told()).toEqual(upTo(964))
})

it('f19_a_read_that_never_ends_holds_up_no_question_about_another_file', async () => {
  const [stuck, other] = [scene(2), scene(2)]
  stuck.outgoing.file.source.read = () => new Promise(() => {})
  const hashes = new PieceHashes()
  const ask = { type: 'ask', transfer: ID, first: 0, count: 2 } as const
  void hashes.asked(stuck.outgoing, ask)
  await hashes.asked(new Outgoing(ID, other.outgoing.file, stuck.outgoing.to), ask)
  expect(stuck.told()).toEqual([0, 1])
})

it('f19_says_whether_the_pieces_that_it_had_to_read_could_be_read', async () => {
  const { outgoing, knows, told } = scene(3)
  knows([0])
  outgoing.file.source.read = async () => null
  const hashes = new PieceHashes()
  expect(await hashes.asked(outgoing, { type: 'ask', transfer: ID, first: 0, count: 1 })).toBe(true)
  expect(await hashes.asked(outgoing, { type: 'ask', transfer: ID, first: 0, count: 3 })).toBe(false)
  expect(told()).toEqual([0])
})

it('f19_a_question_about_a_file_that_is_never_read_ends, and may be asked again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { outgoing, told } = scene(2)
  const { source } = outgoing.file
  const { read } = source
  source.read = () => new Promise(() => {})
  const hashes = new PieceHashes()
  const ask = { type: 'ask', transfer: ID, first: 0, count: 2 } as const
  const asked = hashes.asked(outgoing, ask)
  vi.advanceTimersByTime(READ_WITHIN_MS)
  expect(await asked).toBe(false)
  source.read = read
  expect(await hashes.asked(outgoing, ask)).toBe(true)
  expect(told()).toEqual([0, 1])
  vi.useRealTimers()
})
