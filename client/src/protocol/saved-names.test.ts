import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Manifest } from './manifest'
import { displayName } from './names'
import { portableName, savedPaths } from './saved-names'

const manifest = (paths: readonly string[], folders: readonly string[] = []): Manifest => ({
  files: paths.map((path) => ({ path, size: 0, type: '', modified: 0, start: 0 })),
  folders,
})

describe('a name that every system takes', () => {
  it.each([
    ['talk 10:30?.txt', 'talk 10_30_.txt'],
    ['dots...', 'dots_'],
    ['space ', 'space_'],
    [' space', '_space'],
    ['wide\u3000', 'wide_'],
    ['soft\u00adhyphen', 'soft_hyphen'],
    ['👩‍👩‍👧', '👩_👩_👧'],
    ['next\u0085line', 'next_line'],
    ['.gitignore', '.gitignore'],
    ['CON', '_CON'],
    ['con.txt', '_con.txt'],
    ['nul .txt', '_nul .txt'],
    ['COM¹', '_COM¹'],
    ['console', 'console'],
    ['CLOCK$', '_CLOCK$'],
    ['conin$', '_conin$'],
    ['Desktop.ini', '_Desktop.ini'],
    ['thumbs.db', '_thumbs.db'],
    ['desktop.ini.txt', 'desktop.ini.txt'],
    ['~$minutes.docx', '_$minutes.docx'],
    ['main.c~', 'main.c_'],
    ['..rc', '_..rc'],
    ['.~rc', '_.~rc'],
    ['a.lnk', 'a.lnk.download'],
    ['a.{645FF040-5081-101B-9F08-00AA002F954E}', 'a.{645FF040-5081-101B-9F08-00AA002F954E}.download'],
    ['Cafe\u0301.txt', 'Cafe\u0301.txt'],
  ])('is for %j: %j', (name, portable) => expect(portableName(name)).toBe(portable))

  it('keeps its ending and no half of a character where it is too long in UTF-8', () => {
    const short = portableName(`${'😀'.repeat(120)}.jpg`)
    expect(new TextEncoder().encode(short).byteLength).toBeLessThanOrEqual(240)
    expect(short).toMatch(/^(😀)+\.jpg$/u)
  })

  it('ends as a name may also where it is cut', () => {
    expect(portableName(`${'x'.repeat(239)} ${'x'.repeat(10)}`)).toBe(`${'x'.repeat(239)}_`)
  })

  it('stays as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
        const portable = portableName(displayName(name))
        expect(portableName(portable)).toBe(portable)
        expect(displayName(portable)).toBe(portable)
      }),
    )
  })
})

describe('the paths of an archive', () => {
  const twins = manifest(['a/Read.me', 'A/read.ME', 'Cafe\u0301', 'Caf\u00e9', 'b'], ['B', 'a/leer'])

  it('f24_are_those_of_the_manifest_where_the_system_keeps_every_name', () => {
    const { files, folders } = savedPaths(twins, 'exact')
    expect(files).toEqual(twins.files.map(({ path }) => path))
    expect(folders).toEqual(twins.folders)
  })

  it('f24_are_numbered_where_the_system_takes_two_for_one_so_that_both_stay', () => {
    expect(savedPaths(twins, 'folds')).toEqual({
      files: ['a/Read.me', 'A/read (2).ME', 'Cafe\u0301', 'Caf\u00e9 (2)', 'b (2)'],
      folders: ['B', 'a/leer'],
    })
  })

  it('f24_have_only_names_that_windows_takes_and_stay_different', () => {
    expect(
      savedPaths(manifest(['aux/a:b', 'aux/a?b', 'c.', ' e.lnk', 'desktop.ini'], ['d ']), 'windows'),
    ).toEqual({
      files: ['_aux/a_b', '_aux/a_b (2)', 'c_', ' e.lnk', 'desktop.ini'],
      folders: ['d_'],
    })
  })
})
