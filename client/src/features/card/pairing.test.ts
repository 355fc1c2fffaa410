import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { halves } from './pairing'

/** `p` for a picture, `-` for another card; the result has `h` for half a row. */
const drawn = (cards: string) =>
  halves([...cards].map((card) => card === 'p'))
    .map((isHalf, at) => (isHalf ? 'h' : cards[at]))
    .join('')

describe('the pictures of a list', () => {
  it.each([
    ['', ''],
    ['p', 'p'],
    ['pp', 'hh'],
    ['ppp', 'hhp'],
    ['pppp', 'hhhh'],
    ['-pp-', '-hh-'],
    ['p-p', 'p-p'],
    ['ppp-pp', 'hhp-hh'],
  ])('%j stand as %j', (cards, expected) => expect(drawn(cards)).toBe(expected))

  it('never leave half of a row empty', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean()), (pictures) => {
        const rows = halves(pictures)
          .map((isHalf) => (isHalf ? 'h' : ' '))
          .join('')
        for (const run of rows.split(' ')) expect(run.length % 2).toBe(0)
      }),
    )
  })
})
