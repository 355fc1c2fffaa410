import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES, type ItemId, MAX_RELAYED_FRAME_BYTES } from './bindings'
import {
  CHUNK_HEADER_BYTES,
  type ControlFrame,
  chunkFrame,
  chunksPerFrame,
  decodeFrame,
  encodeFrame,
} from './frames'

const transfer = '01234567-89ab-4cde-8f01-23456789abcd' as ItemId

describe('frames', () => {
  it('are encoded as in PROTOCOL.md', () => {
    const want = encodeFrame({ type: 'want', transfer, first: 1, count: 258 })
    expect(Buffer.from(want).toString('hex')).toBe('010123456789ab4cde8f0123456789abcd0000000100000102')
    const cancel = encodeFrame({ type: 'cancel', transfer, reason: 'gone' })
    expect(Buffer.from(cancel).toString('hex')).toBe('040123456789ab4cde8f0123456789abcd02')
    const ended = encodeFrame({ type: 'ended', transfer })
    expect(Buffer.from(ended).toString('hex')).toBe('050123456789ab4cde8f0123456789abcd')
    const dropped = encodeFrame({ type: 'dropped', transfer })
    expect(Buffer.from(dropped).toString('hex')).toBe('060123456789ab4cde8f0123456789abcd')
    const ping = encodeFrame({ type: 'ping', token: transfer })
    expect(Buffer.from(ping).toString('hex')).toBe('070123456789ab4cde8f0123456789abcd')
    const pong = encodeFrame({ type: 'pong', token: transfer })
    expect(Buffer.from(pong).toString('hex')).toBe('080123456789ab4cde8f0123456789abcd')
    const offered = encodeFrame({ type: 'offered', transfer })
    expect(Buffer.from(offered).toString('hex')).toBe('090123456789ab4cde8f0123456789abcd')
    const hashes = encodeFrame({
      type: 'hashes',
      transfer,
      first: 3,
      hashes: [new Uint8Array(32).fill(0xab)],
    })
    expect(Buffer.from(hashes).toString('hex')).toBe(
      `0a0123456789ab4cde8f0123456789abcd00000003${'ab'.repeat(32)}`,
    )
    const ask = encodeFrame({ type: 'ask', transfer, first: 3, count: 1 })
    expect(Buffer.from(ask).toString('hex')).toBe('0b0123456789ab4cde8f0123456789abcd0000000300000001')
    const have = encodeFrame({
      type: 'have',
      transfer,
      pieces: [
        { first: 0, count: 2 },
        { first: 7, count: 1 },
      ],
    })
    expect(Buffer.from(have).toString('hex')).toBe(
      '0c0123456789ab4cde8f0123456789abcd00000000000000020000000700000001',
    )
    const claim = encodeFrame({ type: 'claim', transfer, pieces: [{ first: 2, count: 1 }] })
    expect(Buffer.from(claim).toString('hex')).toBe('0d0123456789ab4cde8f0123456789abcd0000000200000001')
    const chunk = chunkFrame(transfer, 9, Uint8Array.of(7, 8))
    expect(Buffer.from(chunk).toString('hex')).toBe('020123456789ab4cde8f0123456789abcd000000090708')
  })

  it('are decoded as they were encoded', () => {
    const u32 = fc.nat(0xffffffff)
    const frames: fc.Arbitrary<ControlFrame> = fc.oneof(
      fc.record({
        type: fc.constant('hashes' as const),
        transfer: fc.constant(transfer),
        first: u32,
        hashes: fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { minLength: 1, maxLength: 5 }),
      }),
      fc.record({
        type: fc.constantFrom('have' as const, 'claim' as const),
        transfer: fc.constant(transfer),
        pieces: fc.array(fc.record({ first: u32, count: u32 }), { maxLength: 5 }),
      }),
      fc.record({
        type: fc.constantFrom('want' as const, 'ask' as const),
        transfer: fc.constant(transfer),
        first: u32,
        count: u32,
      }),
      fc
        .constantFrom('done' as const, 'ended' as const, 'dropped' as const, 'offered' as const)
        .map((type) => ({ type, transfer })),
      fc.constantFrom('ping' as const, 'pong' as const).map((type) => ({ type, token: transfer })),
      fc.record({
        type: fc.constant('cancel' as const),
        transfer: fc.constant(transfer),
        reason: fc.constantFrom('person' as const, 'gone' as const, 'noRoom' as const),
      }),
    )
    fc.assert(
      fc.property(frames, (frame) => {
        expect(decodeFrame(encodeFrame(frame).buffer)).toEqual(frame)
      }),
    )
  })

  it('f8_what_cannot_be_parsed_is_dropped', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const frame = decodeFrame(bytes.slice().buffer)
        if (frame && frame.type !== 'chunk') expect(Buffer.compare(encodeFrame(frame), bytes)).toBe(0)
      }),
    )
    expect(decodeFrame(new ArrayBuffer(0))).toBeNull()
    expect(decodeFrame(Uint8Array.of(10, ...new Array(16).fill(0)).buffer)).toBeNull()
  })

  it('f8_stay_below_the_limit_with_room_for_sixteen_bytes_a_chunk', () => {
    const chunks = chunksPerFrame(MAX_RELAYED_FRAME_BYTES)
    expect(CHUNK_HEADER_BYTES + chunks * (CHUNK_BYTES + 16)).toBeLessThanOrEqual(MAX_RELAYED_FRAME_BYTES)
    expect(chunksPerFrame(10)).toBe(1)
  })
})
