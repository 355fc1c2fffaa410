/** Keeps an unsaved note in the tab's storage, so that a reload does not lose it. */
import { useEffect } from 'react'
import * as v from 'valibot'
import type { ItemId } from '../../protocol/bindings'
import { parseJson } from '../../protocol/envelope'
import type { RootNode } from '../../protocol/note-nodes'
import { readNoteState } from '../../protocol/note-state'
import { type SiteStorage, tabStorage } from '../../stores/site-storage'
import type { LargePicture } from '../editor-actions'
import { blobOfDataUrl, dataUrlOf } from './picture-encoding'

const KEY = 'heliograph.note-draft'

const KEEP_AFTER_MS = 300

const stored = v.object({
  note: v.nullable(v.string()),
  /** The version of the note that the draft began with. */
  base: v.optional(v.nullable(v.string()), null),
  title: v.string(),
  root: v.unknown(),
  pictures: v.array(v.object({ id: v.string(), name: v.string(), url: v.string() })),
})

export interface Draft {
  /** The version of the note that it began with; null for a new note. */
  readonly base: string | null
  readonly title: string
  readonly root: RootNode
  readonly pictures: readonly LargePicture[]
}

/** Returns the draft of this note, or of a new one (null); null when there is none. */
export function readDraft(storage: SiteStorage, note: ItemId | null): Draft | null {
  const parsed = v.safeParse(stored, parseJson(storage.getItem(KEY) ?? ''))
  if (!parsed.success || parsed.output.note !== note) return null
  const { base, title, pictures } = parsed.output
  const root = readNoteState({ root: parsed.output.root })
  return root && { base, title, root, pictures: pictures.map(pictureOf) }
}

/** Stores the draft whenever typing pauses. A null draft is not stored. */
export function useKeptDraft(note: ItemId | null, draft: Draft | null): void {
  useEffect(() => {
    if (!draft) return
    const timer = setTimeout(() => void keepDraft(tabStorage, note, draft), KEEP_AFTER_MS)
    return () => clearTimeout(timer)
  }, [note, draft])
}

/** Counts the changes of the stored draft, so that an older one that is ready late does not undo a newer one. */
let changes = 0

export async function keepDraft(storage: SiteStorage, note: ItemId | null, draft: Draft): Promise<void> {
  changes += 1
  const change = changes
  const pictures = await Promise.all(
    draft.pictures.map(async ({ id, file }) => ({ id, name: file.name, url: await dataUrlOf(file) })),
  )
  if (change !== changes) return
  const { base, title, root } = draft
  // The storage may lack room for the pictures, but have room for the text.
  const kept = { note, base, title, root }
  if (!put(storage, { ...kept, pictures })) put(storage, { ...kept, pictures: [] })
}

export function dropDraft(storage: SiteStorage): void {
  changes += 1
  storage.removeItem(KEY)
}

function put(storage: SiteStorage, draft: v.InferInput<typeof stored>): boolean {
  return storage.setItem(KEY, JSON.stringify(draft))
}

function pictureOf({ id, name, url }: { id: string; name: string; url: string }): LargePicture {
  const blob = blobOfDataUrl(url)
  return { id: id as ItemId, file: new File([blob], name, { type: blob.type }) }
}
