/** What the editor is opened on: a note of the beam, a draft of it, or nothing. */
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

/** Read once: what others change while it is open comes as news, not into the text. */
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

/** Whether the note is no longer what it was when the editor was opened. */
export function useChangedElsewhere(id: ItemId | null): boolean {
  const message = useStore(useApp().stores.items, ({ items }) => items.find((one) => one.id === id)?.message)
  const [first] = useState(message)
  return message !== undefined && !equalJson(message, first)
}
