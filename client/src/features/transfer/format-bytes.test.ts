import { describe, expect, it } from 'vitest'
import { formatBytes, formatPart, formatSpeed } from './format-bytes'

describe('a size', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1000, '1 kB'],
    [12_345, '12 kB'],
    [999_499, '999 kB'],
    [999_500, '1.0 MB'],
    [3_100_000, '3.1 MB'],
    [402_000_000, '402 MB'],
    [1_840_000_000, '1.84 GB'],
    [24_800_000_000, '24.8 GB'],
    [3_000_000_000_000_000, '3000 TB'],
  ])('of %d bytes reads %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text))

  it('of a part is in the unit of the whole', () => {
    expect(formatPart(0, 1_840_000_000)).toBe('0.00 of 1.84 GB')
    expect(formatPart(1_140_000_000, 1_840_000_000)).toBe('1.14 of 1.84 GB')
    expect(formatPart(58_200_000, 212_000_000)).toBe('58 of 212 MB')
    expect(formatPart(0, 0)).toBe('0 of 0 B')
  })

  it('a second is a speed', () => expect(formatSpeed(27_400_000)).toBe('27.4 MB/s'))
})
