import { expect, it } from 'vitest'
import { zip } from './archive'

const entry = (path: string, text: string) => ({
  path,
  size: text.length,
  modified: Date.UTC(2001, 1, 3, 4, 5, 6),
  bytes: async () => new Blob([text]).stream(),
})

const read = async (...of: Parameters<typeof zip>) =>
  new Uint8Array(await new Response(zip(...of)).arrayBuffer())

/** The names and the flags of the entries, as their local headers have them (APPNOTE, 4.3.7). */
function headersOf(bytes: Uint8Array) {
  const view = new DataView(bytes.buffer)
  return [...bytes.keys()].flatMap((at) => {
    if (at + 30 > bytes.length || view.getUint32(at, true) !== 0x04034b50) return []
    const length = view.getUint16(at + 26, true)
    const name = new TextDecoder().decode(bytes.subarray(at + 30, at + 30 + length))
    return [
      {
        name,
        isUtf8: (view.getUint16(at + 6, true) & 0x800) !== 0,
        year: 1980 + (view.getUint16(at + 12, true) >> 9),
      },
    ]
  })
}

it('f24_an_archive_has_the_empty_folders_first_and_names_to_the_bit_in_utf_8', async () => {
  const names = ['.env', 'Cafe\u0301', '👩‍👩‍👧']
  const headers = headersOf(
    await read(
      names.map((name) => entry(name, 'x')),
      ['leer/ganz leer'],
    ),
  )
  expect(headers.map(({ name }) => name)).toEqual(['leer/ganz leer/', ...names])
  expect(headers.every(({ isUtf8 }) => isUtf8)).toBe(true)
})

it('f24_an_archive_keeps_the_time_of_each_file_within_what_its_format_can_say', async () => {
  const times = [0, Date.UTC(2001, 1, 3), Date.UTC(3000, 0, 1)]
  const headers = headersOf(await read(times.map((modified, at) => ({ ...entry(`${at}`, ''), modified }))))
  expect(headers.map(({ year }) => year)).toEqual([1980, 2001, 2107])
})

it('f24_an_archive_is_made_as_it_is_read', async () => {
  const asked: string[] = []
  const lazy = (path: string) => ({
    ...entry(path, 'x'.repeat(200_000)),
    bytes: async () => {
      asked.push(path)
      return new Blob(['x'.repeat(200_000)]).stream()
    },
  })
  const reader = zip([lazy('a'), lazy('b'), lazy('c')]).getReader()
  await reader.read()
  await reader.read()
  expect(asked).toEqual(['a'])
  // What makes it is ended by an error, which is thrown back.
  await reader.cancel().catch(() => {})
})
