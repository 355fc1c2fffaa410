/**
 * What the tab's storage has of the files that its person has paused. Nothing is on the disk of one that waits for its turn, which
 * could say it to the page after a reload.
 */
import type { ItemId } from '../protocol/bindings'
import { tabStorage } from '../stores/site-storage'

const keyOf = (id: ItemId) => `paused ${id}`

/** The person has paused a file that comes here. */
export function notePaused(id: ItemId): void {
  tabStorage.setItem(keyOf(id), '')
}

/** Whether the person has paused a file that comes here, on this page or an earlier one of this tab. */
export function wasPaused(id: ItemId): boolean {
  return tabStorage.getItem(keyOf(id)) !== null
}

/** A file goes on, or comes no more. */
export function forgetPaused(id: ItemId): void {
  tabStorage.removeItem(keyOf(id))
}
