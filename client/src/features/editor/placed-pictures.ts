/** Pictures inserted into the open note that are too large to be data in it. */
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { LargePicture } from '../editor-actions'

export interface PlacedPictures {
  add(picture: LargePicture): void
  /** Returns the blob URL of a picture by its source in the note. */
  urlOf(src: string): string | null
  /** Returns the pictures with these sources. */
  among(sources: ReadonlySet<string>): readonly LargePicture[]
  subscribe(listener: () => void): () => void
  /** Revokes the blob URLs. */
  end(): void
}

/** Returns the source by which a note refers to a file item. */
export function sourceOf(id: ItemId): string {
  return `item:${id}`
}

export function createPlacedPictures(): PlacedPictures {
  const pictures = new Map<string, LargePicture & { url: string }>()
  const listeners = new Set<() => void>()
  return {
    add(picture) {
      pictures.set(sourceOf(picture.id), { ...picture, url: URL.createObjectURL(picture.file) })
      for (const listener of listeners) listener()
    },
    urlOf: (src) => pictures.get(src)?.url ?? null,
    among: (sources) =>
      [...pictures].filter(([src]) => sources.has(src)).map(([, { id, file }]) => ({ id, file })),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    end() {
      for (const { url } of pictures.values()) URL.revokeObjectURL(url)
      pictures.clear()
    },
  }
}

export const PlacedPicturesContext = createContext<PlacedPictures>(createPlacedPictures())

/** Returns the blob URL of a picture inserted since the editor was opened; null for any other. */
export function usePlacedPicture(src: string): string | null {
  const placed = useContext(PlacedPicturesContext)
  return useSyncExternalStore(placed.subscribe, () => placed.urlOf(src))
}
