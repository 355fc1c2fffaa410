import { expect, it } from 'vitest'
import { CHUNK_BYTES, type ItemId } from '../protocol/bindings'
import { type Addressee, Outgoing } from './outgoing'

const SIZE = 4 * CHUNK_BYTES
const bytes = Uint8Array.from({ length: SIZE }, (_, at) => at % 251)

/** Firefox's file of parts, of which one has lost its bytes from `from` to `to` on the disk: they are left out. */
function shrunk(from: number, to: number): Blob {
  const slice = (start = 0, end = SIZE) => {
    const left = [...bytes.entries()].filter(([at]) => at >= start && at < end && (at < from || at >= to))
    const part = Uint8Array.from(left, ([, byte]) => byte)
    return { size: Math.min(end, SIZE) - start, arrayBuffer: async () => part.buffer }
  }
  return { size: SIZE, slice } as unknown as Blob
}

const sending = (file: Blob) => new Outgoing('item' as ItemId, file, {} as Addressee)

it('reads the chunks that are wanted, and the last one where no more is ahead', async () => {
  const whole = new Blob([bytes])
  expect(await sending(whole).read({ first: 1, count: 1 }, 1)).toEqual(
    bytes.slice(CHUNK_BYTES, 2 * CHUNK_BYTES),
  )
  expect(await sending(whole).read({ first: 3, count: 1 }, 5)).toEqual(bytes.slice(3 * CHUNK_BYTES))
})

it('f16_sends_nothing_of_a_block_in_which_bytes_are_missing_for_those_behind_them_are_not_in_their_place', async () => {
  expect(await sending(shrunk(100, 700)).read({ first: 0, count: 1 }, 2)).toBeNull()
})
