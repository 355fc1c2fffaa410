/** The addresses of pictures in notes. */
import { useStore } from 'zustand'
import { useApp } from '../actions'
import { mediaOf } from '../item/describe'
import { fileView } from '../transfer/file-view'

const ITEM = 'item:'

/** Returns the URL of a picture: its data URL, or the file item it refers to; null until that file is here. */
export function usePictureUrl(src: string): string | null {
  const { stores, actions } = useApp()
  const id = src.startsWith(ITEM) ? src.slice(ITEM.length) : null
  const item = useStore(stores.items, ({ items }) =>
    id === null ? undefined : items.find((one) => one.id === id),
  )
  const transfer = useStore(stores.transfers, ({ transfers }) => (item ? transfers[item.id] : undefined))
  const kind = useStore(stores.media, ({ kinds }) => (item ? kinds[item.id] : undefined))
  if (id === null) return src || null
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
