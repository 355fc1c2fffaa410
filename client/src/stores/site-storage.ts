/**
 * What this browser keeps for the site: the only file that says `localStorage` and `sessionStorage`. Where site data is
 * blocked, or there is no more room, values are kept in memory until the page is left.
 */

export interface SiteStorage {
  getItem(key: string): string | null
  /** False when the value is only in memory. */
  setItem(key: string, value: string): boolean
  removeItem(key: string): void
}

/** `open` is asked each time: with site data blocked, naming the browser's storage throws (HTML, 12.2.2). */
export function siteStorage(open: () => Storage): SiteStorage {
  const inMemory = new Map<string, string>()
  const attempt = <T>(act: (storage: Storage) => T, otherwise: T): T => {
    try {
      return act(open())
    } catch {
      return otherwise
    }
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
    removeItem(key) {
      inMemory.delete(key)
      attempt((storage) => storage.removeItem(key), undefined)
    },
  }
}

/** For all tabs, until somebody clears it. */
export const browserStorage = siteStorage(() => localStorage)

/** For this tab, also after a reload. */
export const tabStorage = siteStorage(() => sessionStorage)
