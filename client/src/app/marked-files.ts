/**
 * What the tab's storage has of the files that its person has asked for or paused. Nothing is on the disk of one that waits for its
 * turn, which could say it to the page after a reload.
 */
import type { ItemId } from '../protocol/bindings'
import { tabStorage } from '../stores/site-storage'

class MarkedFiles {
  /** @param prefix begins the keys in the tab's storage */
  constructor(readonly prefix: string) {}

  note(id: ItemId): void {
    tabStorage.setItem(this.#key(id), '')
  }

  /** Whether a file was marked, on this page or an earlier one of this tab, and the mark holds. */
  has(id: ItemId): boolean {
    return tabStorage.getItem(this.#key(id)) !== null
  }

  forget(id: ItemId): void {
    tabStorage.removeItem(this.#key(id))
  }

  forgetAll(): void {
    tabStorage.removeItems(this.prefix)
  }

  #key(id: ItemId): string {
    return `${this.prefix}${id}`
  }
}

/** Files that the person has asked for, and that have not come yet. */
export const askedFiles = new MarkedFiles('asked ')

/** Files that come here and that the person has paused (F18). */
export const pausedFiles = new MarkedFiles('paused ')
