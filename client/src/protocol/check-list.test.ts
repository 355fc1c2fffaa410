import { describe, expect, it } from 'vitest'
import { checkItems, withTick } from './check-list'
import type { RootNode } from './note-nodes'
import { readNoteState } from './note-state'

type Box = readonly [text: string, checked: boolean]

function listOf(boxes: readonly Box[], nested: readonly Box[] = []): RootNode {
  const block = { direction: null, format: '', indent: 0, version: 1 }
  const item = ([text, checked]: Box, at: number) => ({
    ...block,
    type: 'listitem',
    checked,
    value: at + 1,
    children: [{ type: 'text', version: 1, text }],
  })
  const list = (children: unknown[]) => ({
    ...block,
    type: 'list',
    listType: 'check',
    start: 1,
    tag: 'ul',
    children,
  })
  const wrapper = { ...block, type: 'listitem', checked: false, value: 9, children: [list(nested.map(item))] }
  const children = nested.length > 0 ? [...boxes.map(item), wrapper] : boxes.map(item)
  const root = readNoteState({ root: { ...block, type: 'root', children: [list(children)] } })
  if (!root) throw new Error('the state is refused')
  return root
}
const ticks = (root: RootNode | null) => root && checkItems(root).map(({ text, checked }) => [text, checked])

describe('a check list', () => {
  it('has its items in reading order, those of nested lists too', () => {
    const root = listOf(
      [
        ['bags', true],
        ['torches', false],
      ],
      [['batteries', false]],
    )
    expect(ticks(root)).toEqual([
      ['bags', true],
      ['torches', false],
      ['batteries', false],
    ])
  })

  it('is ticked at one item, and the version before is not touched', () => {
    const root = listOf([
      ['bags', false],
      ['torches', false],
    ])
    expect(ticks(withTick(root, { number: 1, text: 'torches', checked: true }))).toEqual([
      ['bags', false],
      ['torches', true],
    ])
    expect(ticks(root)).toEqual([
      ['bags', false],
      ['torches', false],
    ])
  })

  it('is ticked at the item with the same text after others were added above it', () => {
    const root = listOf([
      ['map', false],
      ['bags', false],
      ['torches', false],
    ])
    expect(ticks(withTick(root, { number: 1, text: 'torches', checked: true }))?.[2]).toEqual([
      'torches',
      true,
    ])
  })

  it('is ticked at the nearest of several items with one text', () => {
    const root = listOf([
      ['egg', false],
      ['egg', false],
      ['egg', false],
    ])
    expect(ticks(withTick(root, { number: 1, text: 'egg', checked: true }))).toEqual([
      ['egg', false],
      ['egg', true],
      ['egg', false],
    ])
  })

  it('stays as it is when the item is gone or ticked already', () => {
    const root = listOf([['bags', true]])
    expect(withTick(root, { number: 0, text: 'bags', checked: true })).toBeNull()
    expect(withTick(root, { number: 0, text: 'torches', checked: true })).toBeNull()
  })
})
