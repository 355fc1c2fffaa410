/** The initial content of the editor: a note of the beam, its draft, or nothing. */
import { useMemo, useState } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { RootNode } from '../../protocol/note-nodes'
import { versionOf } from '../../protocol/note-versions'
import { EMPTY_ROOT, RICH_NOTE } from '../../protocol/rich-note'
import { tabStorage } from '../../stores/site-storage'
import { useApp } from '../actions'
import type { LargePicture } from '../editor-actions'
import { readDraft } from './draft'

export interface OpenedNote {
  /** The version that the text began with; null for a new note. */
  readonly base: string | null
  readonly title: string
  /** Null when the note is broken. */
  readonly root: RootNode | null
  readonly pictures: readonly LargePicture[]
  readonly isDraft: boolean
}

/** Reads the content once. Changes by others while it is open are announced, and asked about when it is saved. */
export function useOpened(id: ItemId | null, isPrivate: boolean): OpenedNote {
  const { stores } = useApp()
  const [opened] = useState<OpenedNote>(() => {
    const draft = isPrivate ? null : readDraft(tabStorage, id)
    if (draft) return { ...draft, isDraft: true }
    const item = stores.items.getState().items.find((one) => one.id === id)
    const note = item?.content.kind === RICH_NOTE ? item.content : { title: '', root: EMPTY_ROOT }
    const base = item ? versionOf(item.message) : null
    return { base, title: note.title, root: note.root, pictures: [], isDraft: false }
  })
  return opened
}

/** What has become of the note since its text began: another version is here than that one, or it was deleted. */
export function useElsewhere(id: ItemId | null, base: string | null): 'same' | 'changed' | 'gone' {
  const message = useStore(useApp().stores.items, ({ items }) => items.find((one) => one.id === id)?.message)
  const version = useMemo(() => (message === undefined ? null : versionOf(message)), [message])
  if (id === null || base === null || version === base) return 'same'
  return version === null ? 'gone' : 'changed'
}
