import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pad, paddedLength, unpad } from './padding'

const contents = fc.uint8Array({ maxLength: 5_000 })

describe('padded content', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(contents, (content) => {
        expect(unpad(pad(content))).toEqual(content)
      }),
    )
  })

  it('has one length for everything that is small', () => {
    const lengths = [0, 1, 100, 252].map((length) => pad(new Uint8Array(length)).byteLength)
    expect(new Set(lengths)).toEqual(new Set([256]))
  })

  it('is at most 12 percent longer, and has few lengths', () => {
    const lengths = new Set<number>()
    for (let length = 256; length < 20_000; length += 1) {
      const padded = paddedLength(length)
      expect(padded).toBeGreaterThanOrEqual(length)
      expect(padded / length).toBeLessThanOrEqual(1.12)
      lengths.add(padded)
    }
    expect(lengths.size).toBeLessThan(120)
  })

  it.each([
    ['a length beyond its end', [0, 0, 1, 0]],
    ['something in its padding', [0, 0, 0, 1, 65, 66]],
  ])('is none with %s', (_, start) => {
    const padded = new Uint8Array(256)
    padded.set(start)
    expect(unpad(padded)).toBeNull()
  })

  it('is none with more or less padding than its length has', () => {
    const padded = pad(new Uint8Array(300))
    expect(unpad(padded.slice(0, -1))).toBeNull()
    expect(unpad(new Uint8Array([...padded, 0]))).toBeNull()
    expect(unpad(new Uint8Array(3))).toBeNull()
  })
})
