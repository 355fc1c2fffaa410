import { describe, expect, it } from 'vitest'
import { openRows, packTree } from '../../protocol/pack-tree'
import { placeOfTyped, treeKey, treeStep, typedWith } from './tree-keys'

const files = ['a/b/1', 'a/b/2', 'a/3', '4'].map((path, start) => ({
  path,
  size: 1,
  type: '',
  modified: 0,
  start,
}))
// The rows are a, a/b, a/b/1, a/b/2, a/3, 4.
const tree = packTree({ files, folders: [] })
const view = (active: number, ...closed: string[]) => {
  const shut = new Set(closed)
  return { tree, closed: shut, shown: openRows(tree, shut), active }
}
const pressed = (key: string, held: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  ...held,
})

describe('the keys of a tree', () => {
  it.each([
    ['up', 3, 2],
    ['up', 0, 0],
    ['down', 2, 3],
    ['down', 5, 5],
    ['first', 4, 0],
    ['last', 1, 5],
    ['page-down', 1, 4],
    ['page-up', 4, 1],
    ['open', 1, 2],
    ['open', 2, 2],
    ['close', 3, 1],
    ['close', 5, 5],
  ] as const)('%s moves from row %i to row %i', (key, from, to) => {
    expect(treeStep(key, view(from), 3)).toEqual({ do: 'go', place: to })
  })

  it('move among the rows that are shown', () => {
    expect(treeStep('down', view(0, 'a'), 3)).toEqual({ do: 'go', place: 1 })
    expect(treeStep('last', view(0, 'a'), 3)).toEqual({ do: 'go', place: 1 })
  })

  it('open and close a folder before they lead into it or out of it', () => {
    expect(treeStep('open', view(0, 'a'), 3)).toEqual({ do: 'fold', isOpen: true })
    expect(treeStep('close', view(1), 3)).toEqual({ do: 'fold', isOpen: false })
    expect(treeStep('close', view(1, 'a/b'), 3)).toEqual({ do: 'go', place: 0 })
  })

  it('follow the direction of the texts', () => {
    expect([treeKey(pressed('ArrowRight'), 1), treeKey(pressed('ArrowRight'), -1)]).toEqual(['open', 'close'])
  })

  it('leave those of the browser alone', () => {
    expect(treeKey(pressed('a', { ctrlKey: true }), 1)).toBe('all')
    for (const key of [
      pressed('r', { ctrlKey: true }),
      pressed('ArrowLeft', { altKey: true }),
      pressed('Tab'),
    ])
      expect(treeKey(key, 1)).toBeNull()
  })
})

describe('letters', () => {
  const none = { text: '', at: 0 }

  it('are the beginning of one name when they follow each other closely', () => {
    const first = typedWith(none, pressed('i'), 10_000)
    expect(first).toEqual({ text: 'i', at: 10_000 })
    expect(first && typedWith(first, pressed('m'), 10_300)?.text).toBe('im')
    expect(first && typedWith(first, pressed('m'), 11_000)?.text).toBe('m')
  })

  it('are none of the keys that do something else', () => {
    for (const key of ['ArrowUp', ' ', 'Enter', 'Tab'])
      expect(typedWith(none, pressed(key), 10_000)).toBeNull()
    expect(typedWith(none, pressed('a', { ctrlKey: true }), 10_000)).toBeNull()
    expect(typedWith({ text: 'a', at: 9_900 }, pressed(' '), 10_000)?.text).toBe('a ')
  })

  it('lead to the next row that is shown and begins with them, around the end', () => {
    expect(placeOfTyped('2', view(0))).toBe(3)
    expect(placeOfTyped('A', view(3))).toBe(0)
    expect(placeOfTyped('2', view(0, 'a'))).toBeNull()
    expect(placeOfTyped('b', view(1))).toBe(1)
  })
})
