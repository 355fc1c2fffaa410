import { expect, it } from 'vitest'
import { countShared, putShared, SHARED, takeShared, wordsOf } from './share-target'

it.each([
  ['', 'hello', '', 'hello'],
  ['A page', '', 'https://a.example/', 'https://a.example/'],
  ['A page', 'Look: https://a.example/', 'https://a.example/', 'Look: https://a.example/'],
  ['A page', 'Look', 'https://a.example/', 'Look\nhttps://a.example/'],
  ['Only a title', '', '', 'Only a title'],
  ['', '', '', ''],
])('of %j, %j and %j it shares %j', (title, text, url, words) => {
  expect(wordsOf(title, text, url)).toBe(words)
})

it('gives texts and files back once, in the order in which they came', async () => {
  const store = cacheStorage()
  await putShared(store, form({ text: 'first', url: 'https://a.example/' }))
  await putShared(store, form({ title: 'second' }, new File(['abc'], 'Ümläut 1.txt', { type: 'text/plain' })))
  // A form without files has one empty file.
  await putShared(store, form({}, new File([], '')))

  expect(await countShared(store)).toBe(3)
  const { texts, files } = await takeShared(store)
  expect(texts).toEqual(['first\nhttps://a.example/', 'second'])
  expect(files.map(({ name, type }) => [name, type])).toEqual([['Ümläut 1.txt', 'text/plain']])
  expect(await files[0]?.text()).toBe('abc')
  expect(await countShared(store)).toBe(0)
  expect(await takeShared(store)).toEqual({ texts: [], files: [] })
})

function form(fields: Record<string, string>, file?: File): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.set(name, value)
  if (file) data.append('files', file)
  return data
}

/** The part of the browser's caches that is needed here. */
function cacheStorage(): CacheStorage {
  let kept = new Map<string, Response>()
  const cache = {
    put: async (key: string, answer: Response) => void kept.set(key, answer),
    keys: async () => [...kept.keys()],
    match: async (key: string) => kept.get(key),
  }
  const store = {
    open: async () => cache,
    delete: async (name: string) => {
      if (name === SHARED) kept = new Map()
      return true
    },
  }
  return store as unknown as CacheStorage
}
