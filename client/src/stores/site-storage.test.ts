import { expect, it } from 'vitest'
import { siteStorage } from './site-storage'

/** A storage with room for a number of values. */
function storageFor(room: number): Storage & { readonly values: Map<string, string> } {
  const values = new Map<string, string>()
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem(key: string, value: string) {
      if (!values.has(key) && values.size >= room) throw new DOMException('', 'QuotaExceededError')
      values.set(key, value)
    },
    removeItem: (key: string) => void values.delete(key),
    clear: () => values.clear(),
    key: () => null,
    length: 0,
  }
}

it('keeps values in the browser', () => {
  const browser = storageFor(1)
  const storage = siteStorage(() => browser)
  expect(storage.setItem('a', '1')).toBe(true)
  expect(browser.values.get('a')).toBe('1')
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
  expect(browser.values.get('b')).toBe('3')
  expect(storage.getItem('b')).toBe('3')
})
