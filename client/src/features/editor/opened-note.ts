/** The initial content of the editor: a note of the beam, its draft, or nothing. */
import { useState } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { equalJson } from '../../protocol/json'
import type { RootNode } from '../../protocol/note-nodes'
import { EMPTY_ROOT, RICH_NOTE } from '../../protocol/rich-note'
import { tabStorage } from '../../stores/site-storage'
import { useApp } from '../actions'
import type { LargePicture } from '../editor-actions'
import { readDraft } from './draft'

export interface OpenedNote {
  readonly title: string
  /** Null when the note is broken. */
  readonly root: RootNode | null
  readonly pictures: readonly LargePicture[]
  readonly isDraft: boolean
}

/** Reads the content once. Changes by others while it is open are announced and not merged into the text. */
export function useOpened(id: ItemId | null): OpenedNote {
  const { stores } = useApp()
  const [opened] = useState<OpenedNote>(() => {
    const draft = readDraft(tabStorage, id)
    if (draft) return { ...draft, isDraft: true }
    const item = stores.items.getState().items.find((one) => one.id === id)
    const note = item?.content.kind === RICH_NOTE ? item.content : { title: '', root: EMPTY_ROOT }
    return { title: note.title, root: note.root, pictures: [], isDraft: false }
  })
  return opened
}

/** Whether the note has changed since the editor was opened. */
export function useChangedElsewhere(id: ItemId | null): boolean {
  const message = useStore(useApp().stores.items, ({ items }) => items.find((one) => one.id === id)?.message)
  const [first] = useState(message)
  return message !== undefined && !equalJson(message, first)
}
