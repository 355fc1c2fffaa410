/** How a file can be shown on this device. */
import { useCallback, useState } from 'react'
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import type { Media } from '../../protocol/magic'
import { useApp } from '../actions'
import { mediaOf } from '../item/describe'

/** Returns how to show the file at this address, and a function to call when the browser cannot. */
export function useMedia(item: Item, url: string | null): [Media | null, () => void] {
  const kind = useStore(useApp().stores.media, (state) => state.kinds[item.id])
  const [broken, setBroken] = useState(false)
  const onBroken = useCallback(() => setBroken(true), [])
  return [broken || url === null ? null : mediaOf(item.content, kind), onBroken]
}
