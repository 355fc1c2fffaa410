import { describe, expect, it, vi } from 'vitest'
import type { DeviceId } from './bindings'
import type { ChunkRange } from './chunk-set'
import { chunksOf, PIECE_BYTES, piecesOf } from './pieces'
import { Receiver } from './receiver'
import { numbersFrom } from './seeded-numbers'
import { Swarm } from './swarm'

const [ORIGIN, OTHER, THIRD] = ['origin', 'other', 'third'] as DeviceId[] as [DeviceId, DeviceId, DeviceId]
const WHOLE_PIECE = 64

/** A device that receives a file of so many pieces. */
function scene(count: number) {
  const receiver = new Receiver(count * PIECE_BYTES)
  const swarm = new Swarm(receiver, ORIGIN, 0, numbersFrom(1))
  /** Wants chunks of a device as the scheduler does, and returns the piece in which they are. */
  const want = (device: DeviceId): number | null => {
    const range = receiver.want(device, PIECE_BYTES, PIECE_BYTES, () => swarm.next(device, WHOLE_PIECE))
    return range && (piecesOf(range)[0] ?? null)
  }
  const wantAll = (device: DeviceId, most = Number.POSITIVE_INFINITY): number[] => {
    const wanted: number[] = []
    for (let piece = want(device); piece !== null; piece = wanted.length < most ? want(device) : null)
      wanted.push(piece)
    return wanted
  }
  return { receiver, swarm, want, wantAll }
}

function pieces(first: number, count: number): ChunkRange[] {
  return [{ first, count }]
}

describe('f20 the pieces of a file', () => {
  it('are wanted of the origin in their order while nobody else has any', () => {
    expect(scene(5).wantAll(ORIGIN)).toEqual([0, 1, 2, 3, 4])
  })

  it('are wanted once each, the rarest first', () => {
    const { swarm, wantAll } = scene(600)
    swarm.gives(OTHER, pieces(0, 500))
    swarm.gives(THIRD, pieces(0, 300))
    const wanted = wantAll(OTHER)
    expect([...wanted].sort((a, b) => a - b)).toEqual(Array.from({ length: 500 }, (_, piece) => piece))
    expect(wanted.slice(0, 200).every((piece) => piece >= 300)).toBe(true)
  })

  it('are left to others that get them from the origin', () => {
    const { swarm, wantAll } = scene(10)
    swarm.gives(OTHER, pieces(0, 4))
    swarm.claims(OTHER, pieces(4, 2), 0)
    expect(wantAll(ORIGIN).sort()).toEqual([6, 7, 8, 9])
  })

  it('are wanted of the origin although others have them once nobody gets any that is lacking here', () => {
    const { receiver, swarm, wantAll } = scene(10)
    swarm.gives(OTHER, pieces(0, 4))
    receiver.resumes([4, 5, 6, 7, 8, 9].map((piece) => chunksOf(piece, receiver.size)))
    // It is slow, and goes on to get what is here already.
    swarm.claims(OTHER, pieces(6, 4), 0)
    expect(wantAll(ORIGIN).sort()).toEqual([0, 1, 2, 3])
  })

  it('are wanted of an idle origin, each time twice as many, while others are slow to get them', () => {
    const { swarm, wantAll } = scene(40)
    swarm.gives(OTHER, pieces(0, 30))
    swarm.claims(OTHER, pieces(30, 10), 0)
    const wanted = [false, true, true, true].map((isIdle) => {
      swarm.look(isIdle, 0)
      return wantAll(ORIGIN).length
    })
    expect(wanted).toEqual([0, 1, 2, 4])
  })

  it('are not looked through for each frame while it waits, or wants them one by one, in a file of 20 GB', () => {
    const { receiver, swarm, wantAll } = scene(20_000)
    swarm.gives(OTHER, pieces(0, 10_000))
    const gaps = vi.spyOn(receiver, 'gaps')
    expect(wantAll(OTHER, 1_000)).toHaveLength(1_000)
    swarm.gives(OTHER, pieces(10_000, 9_999))
    swarm.claims(OTHER, pieces(19_999, 1), 0)
    for (let frame = 0; frame < 1_000; frame++) expect(wantAll(ORIGIN)).toEqual([])
    expect(gaps.mock.calls.length).toBeLessThan(50_000)
  })
})
