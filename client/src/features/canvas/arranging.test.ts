import { describe, expect, it } from 'vitest'
import type { ItemId } from '../../protocol/bindings'
import { aligned, distributed, inRows, type Notes } from './arranging'
import { boxAround, middle } from './geometry'

const note = (name: string, x: number, y: number, height = 100) =>
  [name as ItemId, { x, y, width: 256, height }] as const

describe('tidying up', () => {
  const area = { x: 50, y: 126, width: 600, height: 500 }
  const screen = { width: 1440 }

  it('puts notes in rows as they are read, each row below the highest of the one before', () => {
    const notes: Notes = [note('c', 20, 700), note('b', 400, 30), note('a', 10, 0, 300), note('d', 90, 900)]
    expect(inRows(notes, area, screen)).toEqual([
      ['a', { x: 80, y: 126 }],
      ['b', { x: 364, y: 126 }],
      ['c', { x: 80, y: 454 }],
      ['d', { x: 364, y: 454 }],
    ])
  })

  it('makes rows that can be read after all were made to fit the view', () => {
    const sixty: Notes = Array.from({ length: 60 }, (_, at) => note(`${at}`, 0, at * 130))
    const places = inRows(sixty, { x: -6000, y: 0, width: 13_000, height: 8000 }, screen)
    const all = boxAround(places.map(([, at]) => ({ ...at, width: 256, height: 100 })))
    expect(all?.width).toBeLessThanOrEqual(2 * screen.width)
    expect(all?.width).toBeGreaterThan(screen.width)
    expect(all && middle(all).x).toBe(500)
  })

  it('makes a square of many', () => {
    const many: Notes = Array.from({ length: 600 }, (_, at) => note(`${at}`, 0, at * 10))
    expect(new Set(inRows(many, area, screen).map(([, { x }]) => x)).size).toBe(25)
  })

  it('puts one below the other where there is room for one', () => {
    const notes: Notes = [note('a', 0, 0), note('b', 0, 200)]
    expect(inRows(notes, { ...area, width: 100 }, screen)).toEqual([
      ['a', { x: 50, y: 126 }],
      ['b', { x: 50, y: 254 }],
    ])
  })
})

describe('aligning', () => {
  const notes: Notes = [note('a', 0, 0, 100), note('b', 300, 50, 300)]

  it.each([
    ['left', { x: 0, y: 50 }],
    ['top', { x: 300, y: 0 }],
    ['right', { x: 300, y: 50 }],
    ['bottom', { x: 300, y: 50 }],
  ] as const)('along the %s puts the second at %j', (edge, place) => {
    expect(aligned(notes, edge)[1]).toEqual(['b', place])
  })

  it('puts the middles on one line', () => {
    expect(aligned(notes, 'middle')).toEqual([
      ['a', { x: 0, y: 125 }],
      ['b', { x: 300, y: 25 }],
    ])
    expect(aligned(notes, 'centre').map(([, { x }]) => x)).toEqual([150, 150])
  })
})

describe('distributing', () => {
  it('leaves equal gaps between the first and the last', () => {
    const notes: Notes = [note('a', 0, 0), note('c', 1000, 0), note('b', 260, 5)]
    expect(distributed(notes, 'horizontal')).toEqual([
      ['a', { x: 0, y: 0 }],
      ['b', { x: 500, y: 5 }],
      ['c', { x: 1000, y: 0 }],
    ])
    const tower: Notes = [note('a', 0, 0, 100), note('b', 0, 400, 200), note('c', 0, 900, 100)]
    expect(distributed(tower, 'vertical').map(([, { y }]) => y)).toEqual([0, 400, 900])
  })
})
