import { expect, it } from 'vitest'
import { dropShared, putShared, readShared, wordsOf } from './share-target'

const LINK = 'https://h.example/?beam_id=7c9e6679-7425-40de-944b-e07fc1f90ae7'
const SECRET = 'A'.repeat(43)

it.each([
  ['', 'hello', '', 'hello'],
  ['A page', '', 'https://a.example/', 'https://a.example/'],
  ['A page', 'Look: https://a.example/', 'https://a.example/', 'Look: https://a.example/'],
  ['A page', 'Look', 'https://a.example/', 'Look\nhttps://a.example/'],
  ['Only a title', '', '', 'Only a title'],
  ['A beam', 'Join', `${LINK}#k=${SECRET}`, `Join\n${LINK}#k=${SECRET}`],
  // Some browsers share an address without its fragment beside the text that has it.
  ['A beam', `Join ${LINK}#k=${SECRET}`, LINK, `Join ${LINK}#k=${SECRET}`],
  ['', '', '', ''],
])('of %j, %j and %j it shares %j', (title, text, url, words) => {
  expect(wordsOf(title, text, url)).toBe(words)
})

it('keeps texts and files in the order in which they came, until they are dropped', async () => {
  const store = cacheStorage()
  await putShared(store, form({ text: 'first', url: 'https://a.example/' }))
  await putShared(store, form({ title: 'second' }, new File(['abc'], 'Ümläut 1.txt', { type: 'text/plain' })))
  // A form without files has one empty file.
  await putShared(store, form({}, new File([], '')))

  const content = await readShared(store)
  const { texts, files } = content
  expect(content.keys).toHaveLength(3)
  expect(texts).toEqual(['first\nhttps://a.example/', 'second'])
  expect(files.map(({ name, type }) => [name, type])).toEqual([['Ümläut 1.txt', 'text/plain']])
  expect(await files[0]?.text()).toBe('abc')
  expect((await readShared(store)).texts).toEqual(texts)

  await putShared(store, form({ text: 'came since' }))
  await dropShared(store, content)
  await putShared(store, form({ text: 'and later' }))
  expect((await readShared(store)).texts).toEqual(['came since', 'and later'])
})

function form(fields: Record<string, string>, file?: File): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  if (file) data.append('files', file)
  return data
}

/** The part of the browser's caches that is needed here. */
function cacheStorage(): CacheStorage {
  const kept = new Map<string, Response>()
  const cache = {
    put: async (path: string, answer: Response) => void kept.set(`https://a.example${path}`, answer),
    keys: async () => [...kept.keys()].map((url) => ({ url })),
    match: async ({ url }: Request) => kept.get(url)?.clone(),
    delete: async ({ url }: Request) => kept.delete(url),
  }
  return { open: async () => cache } as unknown as CacheStorage
}
