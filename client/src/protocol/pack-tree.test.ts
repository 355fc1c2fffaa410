import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Manifest } from './manifest'
import { Choice, openRows, packTree } from './pack-tree'

const manifest = (paths: readonly string[], folders: readonly string[] = []): Manifest => ({
  files: paths.map((path, start) => ({ path, size: 10, type: '', modified: 0, start })),
  folders,
})
const PHOTOS = manifest(['P/10.jpg', 'P/9.jpg', 'P/b/x.jpg', 'notes'], ['P/leer', 'z'])

/** The rows as text, indented by their depth. */
const drawn = ({ rows }: ReturnType<typeof packTree>, shown = rows.map((_, at) => at)) =>
  shown.map((at) => `${' '.repeat(rows[at]?.depth ?? 0)}${rows[at]?.name} ${rows[at]?.size}`)

describe('the tree of a pack', () => {
  it('has in each folder the folders first, both in the order of people', () => {
    expect(drawn(packTree(PHOTOS))).toEqual([
      'P 30',
      ' b 10',
      '  x.jpg 10',
      ' leer 0',
      ' 9.jpg 10',
      ' 10.jpg 10',
      'z 0',
      'notes 10',
    ])
  })

  it('says the place of each row among those beside it', () => {
    const { rows } = packTree(PHOTOS)
    expect(rows.map(({ position, siblings }) => `${position}/${siblings}`)).toEqual([
      '1/3',
      '1/4',
      '1/1',
      '2/4',
      '3/4',
      '4/4',
      '2/3',
      '3/3',
    ])
  })

  it('shows nothing of what is in a closed folder', () => {
    const tree = packTree(PHOTOS)
    expect(drawn(tree, openRows(tree, new Set(['P', 'P/b'])) as number[])).toEqual([
      'P 30',
      'z 0',
      'notes 10',
    ])
  })

  it('has every file and every empty folder once, whatever the paths are', () => {
    const part = fc.constantFrom('a', 'b', 'c')
    const path = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 12 }), (some) => {
        const leaves = some.filter((one) => !some.some((other) => other.startsWith(`${one}/`)))
        const half = Math.floor(leaves.length / 2)
        const list = manifest(leaves.slice(half), leaves.slice(0, half))
        const tree = packTree(list)
        expect(tree.leaves).toBe(leaves.length)
        expect(Choice.ofAll(tree).partOf(list, tree)).toEqual(list)
      }),
    )
  })
})

describe('a choice', () => {
  const tree = packTree(PHOTOS)
  const row = (path: string) => {
    const found = tree.rows.find((one) => one.path === path)
    if (!found) throw new Error(path)
    return found
  }

  it('f24_of_a_folder_is_that_of_all_in_it', () => {
    const without = Choice.ofAll(tree).toggled(row('P'))
    expect(without.partOf(PHOTOS, tree)).toMatchObject({ files: [{ path: 'notes' }], folders: ['z'] })
    expect([without.of(row('P')), without.of(row('P/b')), without.of(row('z'))]).toEqual([
      'none',
      'none',
      'all',
    ])
  })

  it('f24_of_a_part_of_a_folder_is_neither_all_nor_nothing', () => {
    const some = Choice.ofAll(tree).toggled(row('P/b/x.jpg'))
    expect([some.of(row('P')), some.of(row('P/b'))]).toEqual(['some', 'none'])
    expect(some.toggled(row('P')).of(row('P'))).toBe('all')
  })

  it('f24_keeps_the_order_of_the_bytes', () => {
    const { files } = Choice.ofAll(tree).partOf(PHOTOS, tree)
    expect(files.map(({ start }) => start)).toEqual([0, 1, 2, 3])
  })
})
