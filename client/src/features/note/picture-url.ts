/** The addresses of pictures in notes. */
import { createContext, useContext } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { looksSealed } from '../../stores/encryption'
import { useApp } from '../actions'
import { mediaOf } from '../item/describe'
import { fileView } from '../transfer/file-view'

const ITEM = 'item:'

/** The note whose pictures are drawn; null for one that nobody has yet. */
export const PicturesOf = createContext<ItemId | null>(null)

/**
 * Returns the URL of a picture: its data URL, or the file item it refers to; null until that file is here. What came in clear text,
 * and so perhaps from the server, is no picture of a sealed note, which has no mark that says so (E12).
 */
export function usePictureUrl(src: string): string | null {
  const { stores, actions } = useApp()
  const id = src.startsWith(ITEM) ? src.slice(ITEM.length) : null
  const item = useStore(stores.items, ({ items }) =>
    id === null ? undefined : items.find((one) => one.id === id),
  )
  const transfer = useStore(stores.transfers, ({ transfers }) => (item ? transfers[item.id] : undefined))
  const kind = useStore(stores.media, ({ kinds }) => (item ? kinds[item.id] : undefined))
  const note = useContext(PicturesOf)
  const isSealedBeam = useStore(stores.encryption, looksSealed)
  const isSealedNote = useStore(
    stores.items,
    ({ items }) => isSealedBeam && !items.find((one) => one.id === note)?.isClear,
  )
  if (id === null) return src || null
  if (isSealedNote && item?.isClear) return null
  if (item?.content.kind !== 'file' || mediaOf(item.content, kind) !== 'image') return null
  const { size, url, seal } = item.content
  const facts = {
    size,
    storedUrl: url,
    isSealed: seal !== undefined,
    sender: '',
    nameOf: () => '',
    takers: [],
    canSaveAs: actions.canSaveAs,
  }
  return fileView(transfer, facts).url
}
