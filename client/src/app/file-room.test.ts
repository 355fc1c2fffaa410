import { describe, expect, it } from 'vitest'
import type { ItemId } from '../protocol/bindings'
import { withoutRoom } from './file-room'

const files = (...sizes: number[]) =>
  sizes.map((size, at) => ({
    id: `${at}` as ItemId,
    file: { size } as File,
    name: `${at}.bin`,
    url: '',
  }))
const staying = (sizes: number[], largest: number, free: number) =>
  withoutRoom(files(...sizes), { largest, free }).map(({ id }) => id)

describe('f13_files_without_room', () => {
  it('are none when all fit to the byte', () => {
    expect(staying([4, 6], 10, 10)).toEqual([])
  })

  it('are those larger than the largest, and those for which the ones before leave no room', () => {
    expect(staying([11, 6, 5, 4], 10, 10)).toEqual(['0', '2'])
  })

  it('are all but empty ones when the store is full', () => {
    expect(staying([1, 0], 0, 0)).toEqual(['0'])
  })
})
