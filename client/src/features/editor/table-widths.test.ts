import { describe, expect, it } from 'vitest'
import { widened } from './table-widths'

describe('the widths of columns', () => {
  it('change for one column, down to a minimum', () => {
    expect(widened([100, 100], 1, 30.4)).toEqual([100, 130])
    expect(widened([100, 100], 0, -500)).toEqual([40, 100])
  })
})
