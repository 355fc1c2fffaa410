import { expect, it } from 'vitest'
import { siteStorage } from './site-storage'

/** A storage with room for a number of values, which are its own properties as in a browser. */
function storageFor(room: number): Storage & Record<string, string> {
  const methods = {
    getItem: (key: string) => values[key] ?? null,
    setItem(key: string, value: string) {
      if (!(key in values) && Object.keys(values).length >= room) {
        throw new DOMException('', 'QuotaExceededError')
      }
      values[key] = value
    },
    removeItem: (key: string) => void delete values[key],
  }
  const values = Object.create(methods)
  return values
}

it('keeps values in the browser', () => {
  const browser = storageFor(1)
  const storage = siteStorage(() => browser)
  expect(storage.setItem('a', '1')).toBe(true)
  expect(browser.a).toBe('1')
  storage.removeItem('a')
  expect(storage.getItem('a')).toBeNull()
})

it('keeps values in memory where site data is blocked', () => {
  const storage = siteStorage(() => {
    throw new DOMException('The operation is insecure.', 'SecurityError')
  })
  expect(storage.getItem('a')).toBeNull()
  expect(storage.setItem('a', '1')).toBe(false)
  expect(storage.getItem('a')).toBe('1')
  storage.removeItem('a')
  expect(storage.getItem('a')).toBeNull()
})

it('keeps a value in memory while the browser has no room, and stores it once it has', () => {
  const browser = storageFor(1)
  const storage = siteStorage(() => browser)
  storage.setItem('a', '1')
  expect(storage.setItem('b', '2')).toBe(false)
  expect(storage.getItem('b')).toBe('2')
  storage.removeItem('a')
  expect(storage.setItem('b', '3')).toBe(true)
  expect(browser.b).toBe('3')
  expect(storage.getItem('b')).toBe('3')
})

it('removes all values whose key begins alike, from the browser and from memory', () => {
  const browser = storageFor(2)
  const storage = siteStorage(() => browser)
  for (const key of ['device a', 'draft', 'device b']) storage.setItem(key, '1')
  storage.removeItems('device ')
  const left = ['device a', 'draft', 'device b'].map((key) => storage.getItem(key))
  expect(left).toEqual([null, '1', null])
})
