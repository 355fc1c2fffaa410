import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileItemMessage, parseContent, storedItemMessage } from './item'
import {
  MAX_MANIFEST_BYTES,
  MAX_PACKED_FILES,
  MAX_PATH_LENGTH,
  type PackedFile,
  packsOf,
  parseManifestFacts,
  readManifest,
  writeManifest,
} from './manifest'
import { displayName } from './names'
import { packPaths } from './pack-paths'

const file = (path: string, size = 1): PackedFile => ({
  path,
  size,
  type: 'text/plain',
  modified: 1_700_000_000_000,
})

/** Reads what a device claims in its message and in its manifest. */
function read(content: unknown, claim: { files?: number; size?: number; bytes?: number } = {}) {
  const bytes = content instanceof Uint8Array ? content : new TextEncoder().encode(JSON.stringify(content))
  const { files = 1, size = bytes.byteLength + 1 } = claim
  return readManifest(bytes, { files, bytes: claim.bytes ?? bytes.byteLength }, size)
}

const anyFile = fc.record({
  path: fc
    .array(fc.string({ unit: 'grapheme', maxLength: 20 }).map(displayName), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('/')),
  size: fc.nat(),
  type: fc.string({ maxLength: 40 }),
  modified: fc.maxSafeInteger(),
})
const anyFiles = fc
  .uniqueArray(anyFile, { minLength: 1, maxLength: 40, selector: ({ path }) => path })
  .filter((files) => !files.some((one) => files.some(({ path }) => path.startsWith(`${one.path}/`))))

describe('a manifest', () => {
  it('f16_is_read_as_it_was_written_with_each_file_behind_the_one_before', () => {
    fc.assert(
      fc.property(anyFiles, (files) => {
        const bytes = writeManifest(files)
        const size = files.reduce((sum, one) => sum + one.size, bytes.byteLength)
        const placed = readManifest(bytes, { files: files.length, bytes: bytes.byteLength }, size)
        expect(placed?.files.map(({ start: _, ...one }) => one)).toEqual(files)
        let at = bytes.byteLength
        for (const { start, size } of placed?.files ?? []) {
          expect(start).toBe(at)
          at += size
        }
        expect(at).toBe(size)
      }),
    )
  })

  it('f16_is_never_misread_whatever_the_bytes_are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), (bytes, size) => {
        expect(readManifest(bytes, { files: 1, bytes: bytes.byteLength }, size)).toBeNull()
      }),
    )
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(read(new TextEncoder().encode(text))).toBeNull()
      }),
    )
  })

  it('f16_with_sizes_that_lie_is_not_believed', () => {
    const files = [file('a.txt', 5)]
    const bytes = writeManifest(files)
    const facts = { files: 1, bytes: bytes.byteLength }
    expect(readManifest(bytes, facts, bytes.byteLength + 5)).not.toBeNull()
    for (const wrong of [-1, 1]) expect(readManifest(bytes, facts, bytes.byteLength + 5 + wrong)).toBeNull()
    for (const size of [-1, 0.5, Number.MAX_VALUE, '5', null])
      expect(read({ files: [{ ...file('a'), size }] })).toBeNull()
    // Two sizes that only add up because one is negative.
    expect(read({ files: [file('a', 5), file('b', -4)] }, { files: 2 })).toBeNull()
  })

  it('f16_with_another_number_of_files_or_bytes_than_the_message_says_is_not_believed', () => {
    expect(read({ files: [file('a')] }, { files: 2 })).toBeNull()
    expect(read({ files: [file('a')] }, { bytes: 7 })).toBeNull()
    expect(read({ files: [] }, { files: 1 })).toBeNull()
  })

  it.each([
    ['the folder above', '../a'],
    ['the folder above, inside', 'a/../../b'],
    ['this folder', './a'],
    ['an absolute path', '/etc/passwd'],
    ['a drive', 'C:\\a'],
    ['a path of Windows', 'a\\..\\b'],
    ['an empty part', 'a//b'],
    ['a folder instead of a file', 'a/'],
    ['no name', ''],
    ['dots alone', '...'],
    ['half a character', 'a\uD83D'],
    ['space that hides a dot', ' ../a'],
    ['a control character', 'a\u0000.txt'],
    ['a line break', 'a\nb'],
    ['a text that turns around', 'invoice\u202Efdp.exe'],
    ['a character without width', 'a\u200Bb'],
    ['a path that is too long', `${'a/'.repeat(MAX_PATH_LENGTH / 2)}a`],
    ['a part that is too long', 'a'.repeat(256)],
    ['folders that are too deep', `${'a/'.repeat(64)}a`],
  ])('f16_with_%s_is_not_believed', (_, path) => {
    expect(read({ files: [file(path)] })).toBeNull()
  })

  it('f16_with_folders_is_read', () => {
    expect(read({ files: [file('Fotos/Ōsaka/a b.jpg')] })).toMatchObject({
      files: [{ path: 'Fotos/Ōsaka/a b.jpg' }],
      folders: [],
    })
  })

  it.each([
    '.gitignore',
    '.config/a',
    'Cafe\u0301/na\u00efve.txt',
    'תמונות/صور.jpg',
    '👩‍👩‍👧/🏳️‍🌈.png',
    'CON',
    'a. /b .',
    ' a',
  ])('f16_keeps_the_path_%s_to_the_bit', (path) => {
    const bytes = writeManifest([file(path, 0)])
    const read = readManifest(bytes, { files: 1, bytes: bytes.byteLength }, bytes.byteLength)
    expect(read?.files.map((one) => one.path)).toEqual([path])
  })

  it('f16_has_its_empty_folders_also_where_there_is_no_file', () => {
    for (const files of [[], [file('a/b.txt', 0)]]) {
      const bytes = writeManifest(files, ['a/leer', 'x/y'])
      const facts = { files: files.length, bytes: bytes.byteLength }
      expect(readManifest(bytes, facts, bytes.byteLength)?.folders).toEqual(['a/leer', 'x/y'])
    }
  })

  it.each([
    ['that leave the folder', ['../a']],
    ['of one path', ['x', 'x']],
    ['with the path of a file', ['a']],
    ['in a file', ['a/b']],
    ['that are no texts', [1]],
    ['that are no list', 'x'],
    ['that are too many', Array.from({ length: MAX_PACKED_FILES }, (_, at) => `${at}`)],
  ])('f16_with_folders_%s_is_not_believed', (_, folders) => {
    expect(read({ files: [file('a')], folders })).toBeNull()
  })

  it('f16_with_two_files_of_one_path_is_not_believed', () => {
    expect(read({ files: [file('a'), file('a', 0)] }, { files: 2 })).toBeNull()
  })

  it.each([
    ['a', 'a/b'],
    ['a/b/c', 'a'],
    ['x/a/b/c', 'x/a'],
  ])('f16_with_%s_beside_%s_is_not_believed_for_one_name_is_no_file_and_folder', (one, other) => {
    expect(read({ files: [file(one, 1), file(other, 0)] }, { files: 2 })).toBeNull()
  })

  it('f16_with_paths_that_only_begin_alike_is_read', () => {
    expect(
      read({ files: [file('a', 1), file('a b/c', 0), file('ab', 0)] }, { files: 3 })?.files,
    ).toHaveLength(3)
  })

  it('f16_of_a_million_files_is_refused_by_its_number_alone', () => {
    expect(parseManifestFacts({ files: 1_000_000, bytes: 1_000 }, 1_000_000)).toBeUndefined()
    // None of these is a file, and none is looked at: only as many as the message says are.
    const bytes = new TextEncoder().encode(`{"files":[${'0,'.repeat(999_999)}0]}`)
    expect(readManifest(bytes, { files: 1, bytes: bytes.byteLength }, bytes.byteLength)).toBeNull()
  })

  it('f16_that_means_more_folders_than_a_hundred_thousand_is_not_believed', () => {
    /** So many files, each in 63 folders of its own. */
    const deep = (count: number) =>
      Array.from({ length: count }, (_, at) => file(`${at}/${'d/'.repeat(62)}f`))
    const claim = (count: number) => {
      const bytes = writeManifest(deep(count))
      return read(bytes, { files: count, size: bytes.byteLength + count })
    }
    expect(claim(1_587)?.files).toHaveLength(1_587)
    expect(claim(1_588)).toBeNull()
    // What is packed here is divided before it means as many.
    expect(packsOf(deep(4_000)).map(({ files }) => claim(files.length)?.files.length)).toEqual([
      1_587, 1_587, 826,
    ])
  })

  it('f16_that_is_too_large_or_larger_than_its_item_leaves_a_plain_file', () => {
    const content = (manifest: unknown, size = 100) =>
      parseContent({ file: { name: 'a', size, type: '', manifest } }, 'file')
    expect(content({ files: 3, bytes: 90 })).toMatchObject({ manifest: { files: 3, bytes: 90 } })
    const wrong = [
      { files: 3, bytes: 101 },
      { files: 3, bytes: 90, folder: 'yes' },
      { files: -1, bytes: 90 },
      { files: 1.5, bytes: 90 },
      { files: MAX_PACKED_FILES + 1, bytes: 90 },
      { files: 3 },
      'many',
      null,
    ]
    for (const manifest of wrong) expect(content(manifest)).not.toHaveProperty('manifest')
    expect(content({ files: 3, bytes: MAX_MANIFEST_BYTES + 1 }, 1e9)).not.toHaveProperty('manifest')
  })

  it('f16_is_told_by_the_item_also_when_the_server_has_a_copy', () => {
    const facts = { name: '300 files', size: 100, type: '', manifest: { files: 300, bytes: 90 } }
    const url = '/api/uploads/0123456789abcdef0123'
    for (const { message, extra } of [fileItemMessage(facts), storedItemMessage({ ...facts, url })])
      expect(parseContent(message, extra)).toMatchObject({
        kind: 'file',
        category: 'file',
        manifest: facts.manifest,
      })
  })
})

/** Names that are the same, or cut, once they are clean. */
const AWKWARD = [
  'a.txt',
  'a (2).txt',
  '..',
  ' ..',
  '.a',
  'a/b',
  'x'.repeat(300),
  `${'x'.repeat(254)} y`,
  `a.${'b'.repeat(300)}`,
  `${'c'.repeat(250)}.tar.gz`,
  '😀'.repeat(200),
]

describe('files that are packed', () => {
  it('f16_have_paths_that_every_device_reads', () => {
    const names = fc.array(
      fc.oneof(fc.string({ unit: 'grapheme', maxLength: 6 }), fc.constantFrom(...AWKWARD)),
      { minLength: 1, maxLength: 8 },
    )
    fc.assert(
      fc.property(names, (some) => {
        const files = packPaths(some).files.map((path) => file(path, 0))
        const bytes = writeManifest(files)
        const facts = { files: files.length, bytes: bytes.byteLength }
        expect(readManifest(bytes, facts, bytes.byteLength)?.files.map(({ path }) => path)).toEqual(
          files.map(({ path }) => path),
        )
      }),
    )
  })

  it('of one name are numbered', () => {
    expect(packPaths(['a.txt', 'a.txt', 'a (2).txt', 'a.txt', 'b']).files).toEqual([
      'a.txt',
      'a (2).txt',
      'a (2) (2).txt',
      'a (3).txt',
      'b',
    ])
  })

  it('f16_give_way_to_a_folder_that_has_their_name_once_it_is_safe', () => {
    expect(packPaths(['a\\b', 'a_b/c', 'x'], ['x', 'a\\b/leer'])).toEqual({
      files: ['a_b (2)', 'a_b/c', 'x (2)'],
      folders: ['x', 'a_b/leer'],
    })
  })

  it('f16_lose_folders_and_not_their_names_where_a_path_is_too_long', () => {
    const deep = `${'a/'.repeat(100)}name.txt`
    const long = `${`${'ö'.repeat(250)}/`.repeat(6)}name.txt`
    const { files } = packPaths([deep, long])
    for (const path of files) expect(path).toMatch(/\/name\.txt$/)
    expect(files.map((path) => path.split('/').length)).toEqual([64, 5])
  })

  it('f16_with_folders_count_them_among_what_a_manifest_holds', () => {
    const folders = Array.from({ length: MAX_PACKED_FILES - 1 }, (_, at) => `leer/${at}`)
    const packs = packsOf([file('a'), file('b')], folders)
    expect(packs.map((pack) => [pack.folders.length, pack.files.length])).toEqual([
      [MAX_PACKED_FILES - 1, 1],
      [0, 1],
    ])
  })

  it('stay together as far as the bounds of a manifest allow', () => {
    const few = Array.from({ length: 1_000 }, (_, at) => file(`${at}`))
    expect(packsOf(few)).toEqual([{ files: few, folders: [] }])
    const many = Array.from({ length: MAX_PACKED_FILES + 1 }, (_, at) => file(`${at}`))
    expect(packsOf(many).map(({ files }) => files.length)).toEqual([MAX_PACKED_FILES, 1])
  })

  it('with long names are divided by the bytes of their manifests', () => {
    const long = Array.from({ length: 20_000 }, (_, at) => file(`${at} ${'ö'.repeat(240)}`))
    const packs = packsOf(long)
    expect(packs.flatMap(({ files }) => files)).toEqual(long)
    expect(packs.length).toBe(2)
    for (const { files } of packs)
      expect(writeManifest(files).byteLength).toBeLessThanOrEqual(MAX_MANIFEST_BYTES)
  })
})
