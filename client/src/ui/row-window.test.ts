import { describe, expect, it } from 'vitest'
import { rowsIn } from './row-window'

describe('of a long list are rendered', () => {
  it('the visible rows and a few around them', () => {
    expect(rowsIn(10_000, 48, 48_000, 288)).toEqual({ first: 994, end: 1_012 })
  })

  it('no rows before the first or after the last', () => {
    expect(rowsIn(10_000, 48, 0, 288)).toEqual({ first: 0, end: 12 })
    expect(rowsIn(10, 48, 192, 288)).toEqual({ first: 0, end: 10 })
  })

  it('none when the list has become shorter than it was scrolled', () => {
    expect(rowsIn(3, 48, 48_000, 288)).toEqual({ first: 3, end: 3 })
  })
})
