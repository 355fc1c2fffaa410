/**
 * The browser's storage for this site. This is the only file that uses `localStorage` and `sessionStorage`. When site
 * data is blocked or the storage is full, values are kept in memory until the page is left.
 */

export interface SiteStorage {
  getItem(key: string): string | null
  /** Returns false when the value is only in memory. */
  setItem(key: string, value: string): boolean
  removeItem(key: string): void
  /** Returns the keys that begin with this. */
  keys(prefix: string): readonly string[]
  /** Removes all whose key begins with this. */
  removeItems(prefix: string): void
}

/** @param open called for every access, because reading the property throws when site data is blocked (HTML, 12.2.2) */
export function siteStorage(open: () => Storage): SiteStorage {
  const inMemory = new Map<string, string>()
  const attempt = <T>(act: (storage: Storage) => T, otherwise: T): T => {
    try {
      return act(open())
    } catch {
      return otherwise
    }
  }
  const removeItem = (key: string) => {
    inMemory.delete(key)
    attempt((storage) => storage.removeItem(key), undefined)
  }
  const keys = (prefix: string) => {
    const stored = attempt((storage) => Object.keys(storage), [])
    return [...new Set([...inMemory.keys(), ...stored])].filter((key) => key.startsWith(prefix))
  }
  return {
    getItem: (key) => inMemory.get(key) ?? attempt((storage) => storage.getItem(key), null),
    setItem(key, value) {
      const isKept = attempt((storage) => {
        storage.setItem(key, value)
        return true
      }, false)
      if (isKept) inMemory.delete(key)
      else inMemory.set(key, value)
      return isKept
    },
    removeItem,
    keys,
    removeItems(prefix) {
      for (const key of keys(prefix)) removeItem(key)
    },
  }
}

/** Shared by all tabs, until it is cleared. */
export const browserStorage = siteStorage(() => localStorage)

/** For this tab. It survives a reload. */
export const tabStorage = siteStorage(() => sessionStorage)
