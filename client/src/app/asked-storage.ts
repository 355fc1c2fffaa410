/**
 * What the tab's storage has of the files that its person has asked for. Nothing is on the disk of one that waits for its turn,
 * which could say it to the page after a reload.
 */
import type { ItemId } from '../protocol/bindings'
import { tabStorage } from '../stores/site-storage'

const PREFIX = 'asked '

const keyOf = (id: ItemId) => `${PREFIX}${id}`

/** The person has asked for a file. */
export function noteAsked(id: ItemId): void {
  tabStorage.setItem(keyOf(id), '')
}

/** Whether the person has asked for a file, on this page or an earlier one of this tab, and it has not come yet. */
export function wasAsked(id: ItemId): boolean {
  return tabStorage.getItem(keyOf(id)) !== null
}

/** A file is waited for no more, or could not go on where it goes to. */
export function forgetAsked(id: ItemId): void {
  tabStorage.removeItem(keyOf(id))
}

/** Forgets all of them: this tab is a copy, and they come to its original. */
export function forgetAllAsked(): void {
  tabStorage.removeItems(PREFIX)
}
