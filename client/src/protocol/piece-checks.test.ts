import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHUNK_BYTES, type DeviceId } from './bindings'
import type { ChunkRange } from './chunk-set'
import { PieceChecks, without } from './piece-checks'
import { chunksOf, PIECE_BYTES, PIECE_CHUNKS, pieceCount, piecesOf, wholePieces } from './pieces'
import { chunkCount } from './receiver'

const hash = (byte: number) => new Uint8Array(32).fill(byte)

const [ADA, BOB] = ['ada', 'bob'] as DeviceId[] as [DeviceId, DeviceId]

describe('f19 the checks of a file', () => {
  it('count a piece once its hash is what the device that shared it says, whichever is known first', () => {
    const checks = new PieceChecks(2 * PIECE_BYTES)
    for (const piece of [0, 1]) checks.came(chunksOf(piece, 2 * PIECE_BYTES), ADA)
    expect(checks.hashed(1, hash(1))).toBeNull()
    expect(checks.lacking).toEqual({ first: 1, count: 1 })
    expect(checks.told(0, [hash(0), hash(1)])).toEqual([{ piece: 1, check: { is: 'right' } }])
    expect(checks.lacking).toBeNull()
    expect(checks.right).toEqual([{ first: 1, count: 1 }])
    expect(checks.doubtful).toEqual([0])
    expect(checks.isComplete).toBe(false)
    expect(checks.hashed(0, hash(0))).toEqual({ is: 'right' })
    expect(checks.isComplete).toBe(true)
  })

  it('name every device that gave chunks of a wrong piece', () => {
    const checks = new PieceChecks(PIECE_BYTES)
    checks.came({ first: 0, count: 2 }, ADA)
    checks.came({ first: 2, count: 1 }, BOB)
    checks.came({ first: 3, count: 61 }, ADA)
    checks.told(0, [hash(0)])
    expect(checks.hashed(0, hash(9))).toEqual({ is: 'wrong', givers: [ADA, BOB] })
    expect(checks.isComplete).toBe(false)
  })

  it('doubt a piece of an earlier page only where it is hashed again', () => {
    const checks = new PieceChecks(3 * PIECE_BYTES)
    checks.resumes([{ first: 0, count: 3 }])
    expect(checks.isComplete).toBe(true)
    expect(checks.hashed(1, hash(1))).toBeNull()
    expect(checks.isComplete).toBe(false)
    expect(checks.doubtful).toEqual([])
    expect(checks.told(0, [hash(0), hash(9)])).toEqual([{ piece: 1, check: { is: 'wrong', givers: [] } }])
  })

  it('count what was told before while the device that shared the file is away', () => {
    const checks = new PieceChecks(3 * PIECE_BYTES)
    checks.resumes([{ first: 0, count: 1 }])
    checks.wasTold(new Map([[1, hash(1)]]))
    for (const piece of [1, 2]) checks.came(chunksOf(piece, 3 * PIECE_BYTES), BOB)
    // It may be another file by now, so the device that shared it is asked while it is here.
    for (const piece of [0, 1, 2]) expect(checks.hashed(piece, hash(piece))).toBeNull()
    expect(checks.withoutSource()).toEqual([
      { piece: 0, check: { is: 'right' } },
      { piece: 1, check: { is: 'right' } },
    ])
    expect(checks.lacking).toEqual({ first: 2, count: 1 })
    checks.came(chunksOf(1, 3 * PIECE_BYTES), BOB)
    checks.hashed(1, hash(9))
    expect(checks.withoutSource()).toEqual([{ piece: 1, check: { is: 'wrong', givers: [BOB] } }])
  })

  it('take the file for another one where the device that shared it says otherwise than before', () => {
    const checks = new PieceChecks(3 * PIECE_BYTES)
    checks.told(0, [hash(0), hash(1)])
    checks.forgetTold()
    expect(checks.told(0, [hash(0)])).toEqual([])
    expect(checks.told(1, [hash(9), hash(2)])).toEqual([{ piece: 1, check: { is: 'wrong', givers: [] } }])
  })

  it('are told to a later page with what an earlier one was told, once', () => {
    const checks = new PieceChecks(3 * PIECE_BYTES)
    expect(checks.newlyTold()).toBeNull()
    checks.wasTold(new Map([[0, hash(0)]]))
    expect(checks.newlyTold()).toBeNull()
    checks.told(1, [hash(1)])
    expect([...(checks.newlyTold() ?? [])]).toEqual([
      [0, hash(0)],
      [1, hash(1)],
    ])
    expect(checks.newlyTold()).toBeNull()
    checks.clear()
    expect([...(checks.newlyTold() ?? [0])]).toEqual([])
  })

  it('blame nobody for pieces that nobody here can vouch for', () => {
    const checks = new PieceChecks(2 * PIECE_BYTES)
    checks.came({ first: 0, count: PIECE_CHUNKS }, ADA)
    checks.came({ first: PIECE_CHUNKS, count: PIECE_CHUNKS }, BOB)
    checks.hashed(0, hash(0))
    checks.hashed(1, hash(1))
    expect(checks.vouchedFor(ADA)).toEqual([
      { piece: 0, check: { is: 'right' } },
      { piece: 1, check: { is: 'unknown' } },
    ])
    expect(checks.right).toEqual([{ first: 0, count: 1 }])
    expect(checks.lacking).toBeNull()
  })

  it('believe what was told first, and nothing of pieces that the file does not have', () => {
    const checks = new PieceChecks(PIECE_BYTES)
    checks.told(0, [hash(1)])
    checks.told(0, [hash(2), hash(3)])
    expect(checks.hashed(0, hash(1))).toEqual({ is: 'right' })
    expect(checks.isComplete).toBe(true)
  })

  it('an empty file needs none', () => {
    expect(new PieceChecks(0).isComplete).toBe(true)
  })
})

it('f19_pieces_have_the_chunks_of_a_file_each_once', () => {
  fc.assert(
    fc.property(fc.nat(5 * PIECE_BYTES), (size) => {
      const chunks = Array.from({ length: pieceCount(size) }, (_, piece) => chunksOf(piece, size))
      expect(chunks.reduce((sum, { count }) => sum + count, 0)).toBe(chunkCount(size))
      chunks.forEach((range, piece) => {
        if (range.count > 0) expect(piecesOf(range)).toEqual([piece])
        expect(wholePieces([range], size)).toEqual([{ first: piece, count: 1 }])
      })
    }),
  )
})

it('f19_a_piece_of_which_a_chunk_is_missing_is_not_whole', () => {
  const size = 3 * PIECE_BYTES + CHUNK_BYTES
  expect(wholePieces([{ first: 1, count: 2 * PIECE_CHUNKS }], size)).toEqual([{ first: 1, count: 1 }])
  expect(wholePieces([{ first: 3 * PIECE_CHUNKS, count: 1 }], size)).toEqual([{ first: 3, count: 1 }])
  expect(wholePieces([{ first: 0, count: 1 }], size)).toEqual([])
  expect(without([{ first: 0, count: 4 * PIECE_CHUNKS }], [1, 3])).toEqual([
    { first: 0, count: PIECE_CHUNKS },
    { first: 2 * PIECE_CHUNKS, count: PIECE_CHUNKS },
  ])
})

const PIECES = 5
const piece = fc.nat(PIECES)
/** Few hashes, so that some are equal. */
const byte = fc.nat(2)
const step = fc.oneof(
  fc.record({ does: fc.constant('come' as const), piece, from: fc.constantFrom(ADA, BOB) }),
  fc.record({ does: fc.constant('told' as const), piece, hashes: fc.array(byte, { maxLength: 3 }) }),
  fc.record({ does: fc.constant('hashed' as const), piece: fc.nat(PIECES - 1), byte }),
  fc.record({ does: fc.constantFrom('forget' as const, 'away' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** The checks of a file, and beside them a plain account of what is right. */
class Account {
  readonly checks = new PieceChecks(PIECES * PIECE_BYTES)
  readonly right = new Set<number>()
  readonly #told = new Map<number, number>()
  readonly #toldBefore = new Map<number, number>()
  readonly #hashed = new Map<number, number>()
  /** Pieces that others gave since they were compared last. */
  readonly #given = new Set<number>()

  does(step: Step): void {
    switch (step.does) {
      case 'come':
        this.#given.add(step.piece)
        return this.checks.came(chunksOf(step.piece, PIECES * PIECE_BYTES), step.from)
      case 'away':
        this.#counts()
        return void this.checks.withoutSource()
      case 'forget':
        for (const [piece, byte] of this.#told) this.#toldBefore.set(piece, byte)
        this.#told.clear()
        return this.checks.forgetTold()
      case 'told':
        return this.#tells(step.piece, step.hashes)
      case 'hashed':
        this.right.delete(step.piece)
        this.#hashed.set(step.piece, step.byte)
        this.checks.hashed(step.piece, hash(step.byte))
        return this.#compares()
    }
  }

  /** What was told first holds. The file is another one where that is not what was told before. */
  #tells(first: number, hashes: readonly number[]): void {
    const checked = this.checks.told(first, hashes.map(hash))
    const fresh = hashes.flatMap((byte, at) => {
      const piece = first + at
      return piece < PIECES && !this.#told.has(piece) ? [{ piece, byte }] : []
    })
    const other = fresh.find(({ piece, byte }) => (this.#toldBefore.get(piece) ?? byte) !== byte)
    if (other) {
      expect(checked).toEqual([{ piece: other.piece, check: { is: 'wrong', givers: [] } }])
      return this.#clear()
    }
    for (const { piece, byte } of fresh) this.#told.set(piece, byte)
    this.#compares()
  }

  #clear(): void {
    this.checks.clear()
    for (const all of [this.right, this.#told, this.#toldBefore, this.#hashed, this.#given]) all.clear()
  }

  /** What was told before counts, and what an earlier page has found right. */
  #counts(): void {
    for (const [piece, byte] of this.#hashed) {
      const before = this.#toldBefore.get(piece) ?? (this.#given.has(piece) ? null : byte)
      if (before === null) continue
      this.#toldBefore.set(piece, before)
      this.#compared(piece, before === byte)
    }
  }

  #compared(piece: number, isRight: boolean): void {
    if (isRight) this.right.add(piece)
    this.#hashed.delete(piece)
    this.#given.delete(piece)
  }

  /** What is wrong is received again, and hashed then. */
  #compares(): void {
    for (const [piece, byte] of this.#hashed)
      if (this.#told.has(piece)) this.#compared(piece, this.#told.get(piece) === byte)
  }
}

const numbers = ({ first, count }: ChunkRange) => Array.from({ length: count }, (_, at) => first + at)

it('f19_a_piece_is_right_only_if_its_hash_is_what_was_told_of_it_first_in_whatever_order', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const account = new Account()
      for (const step of steps) {
        account.does(step)
        expect(account.checks.right.flatMap(numbers)).toEqual([...account.right].sort((a, b) => a - b))
      }
    }),
    { seed: 1, numRuns: 300 },
  )
})
