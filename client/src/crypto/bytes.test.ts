import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bigEndian, fromBase64Url, isEqual, toBase64Url } from './bytes'

const bytes = fc.uint8Array({ maxLength: 200 })

describe('base64url', () => {
  it('comes back as it was', () => {
    fc.assert(
      fc.property(bytes, (some) => {
        expect(fromBase64Url(toBase64Url(some))).toEqual(some)
      }),
    )
  })

  it.each([
    ['padding', 'QQ=='],
    ['the other alphabet', '+/8'],
    ['a length that none has', 'QUJDR'],
    ['bits that mean nothing', 'QR'],
    ['white space', 'QU JD'],
  ])('is not what has %s', (_, text) => {
    expect(fromBase64Url(text)).toBeNull()
  })
})

it('bytes are equal when all of them are', () => {
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      expect(isEqual(one, one.slice())).toBe(true)
      expect(isEqual(one, other)).toBe(toBase64Url(one) === toBase64Url(other))
    }),
  )
})

it('a number has its most significant byte first, also beyond 32 bits', () => {
  expect([...bigEndian(0x0102030405, 8)]).toEqual([0, 0, 0, 1, 2, 3, 4, 5])
  expect([...bigEndian(258, 4)]).toEqual([0, 0, 1, 2])
})
