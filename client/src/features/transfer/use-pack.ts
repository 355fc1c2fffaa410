/** The list of an item that is many files (F16), for its cards. */
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import type { PackList } from '../../stores/packs'
import { useApp } from '../actions'

/** Returns the list; undefined while it is not known, and for any other item. */
export function usePack({ id }: Item): PackList | undefined {
  return useStore(useApp().stores.packs, ({ lists }) => lists[id])
}

/** Whether the bytes of an item are saved as they are: it is no pack, or one that nobody can read. */
export function useIsWhole(item: Item): boolean {
  const list = usePack(item)
  return item.content.kind !== 'file' || !item.content.manifest || list === 'unreadable'
}
