import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { DRAG_DROP_PASTE } from '@lexical/rich-text'
import { t } from '@lingui/core/macro'
import {
  $insertNodes,
  COMMAND_PRIORITY_LOW,
  createCommand,
  HISTORY_MERGE_TAG,
  type LexicalCommand,
  type LexicalEditor,
  mergeRegister,
  type NodeKey,
} from 'lexical'
import { useContext, useEffect } from 'react'
import { useApp } from '../actions'
import { $createImageNode, $getImage, ImageNode } from './image-node'
import { blobOfDataUrl, dataUrlOf, encodePicture, MAX_INLINE_PICTURE, pictureName } from './picture-encoding'
import { type PlacedPictures, PlacedPicturesContext, sourceOf } from './placed-pictures'

/** Inserts pictures at the caret. */
export const INSERT_PICTURES: LexicalCommand<readonly File[]> = createCommand('INSERT_PICTURES')

/** Redraws pictures that are picked, pasted or dropped. Large ones are kept until they are shared beside the note. */
export function PicturesPlugin({ say }: { say: (text: string) => void }) {
  const [editor] = useLexicalComposerContext()
  const placed = useContext(PlacedPicturesContext)
  const { actions } = useApp()
  useEffect(() => {
    const place = (picture: Blob, name: string) =>
      placePicture(picture, name, placed, actions.notes.newPictureId)
    const insert = (files: readonly File[]) => {
      void insertPictures(editor, files, place, say)
      return true
    }
    return mergeRegister(
      editor.registerCommand(INSERT_PICTURES, insert, COMMAND_PRIORITY_LOW),
      editor.registerCommand(DRAG_DROP_PASTE, insert, COMMAND_PRIORITY_LOW),
      editor.registerNodeTransform(ImageNode, (node) => {
        const { src } = node.getFields()
        if (!src.startsWith('data:') || ours.has(src)) return
        ours.add(src)
        const key = node.getKey()
        place(blobOfDataUrl(src), '').then(
          (own) => replaceSource(editor, key, own),
          () => editor.update(() => $getImage(key)?.remove()),
        )
      }),
    )
  }, [editor, placed, actions, say])
  return null
}

// Data URLs that this page has redrawn, or has already taken care of.
const ours = new Set<string>()

/** Marks a picture of an opened note as redrawn, which happened when it was inserted. */
export function trustPicture(src: string): void {
  ours.add(src)
}

type Place = (picture: Blob, name: string) => Promise<string>

async function insertPictures(
  editor: LexicalEditor,
  files: readonly File[],
  place: Place,
  say: (text: string) => void,
): Promise<void> {
  for (const file of files) {
    if (!file.type.startsWith('image/')) {
      say(t`Only pictures go into a note. Other files are shared beside it.`)
      continue
    }
    try {
      const src = await place(file, file.name)
      editor.update(() => $insertNodes([$createImageNode({ src })]))
    } catch {
      say(t`“${{ name: file.name }}” is not a picture that can be shown.`)
    }
  }
}

/** Redraws a picture. Returns its source: a data URL, or the address of the item that it will become. */
async function placePicture(
  picture: Blob,
  name: string,
  placed: PlacedPictures,
  newId: () => Parameters<typeof sourceOf>[0],
): Promise<string> {
  const blob = await encodePicture(picture)
  const url = await dataUrlOf(blob)
  if (url.length <= MAX_INLINE_PICTURE) {
    ours.add(url)
    return url
  }
  const id = newId()
  placed.add({ id, file: new File([blob], pictureName(name, blob.type), { type: blob.type }) })
  return sourceOf(id)
}

function replaceSource(editor: LexicalEditor, key: NodeKey, src: string): void {
  editor.update(() => $getImage(key)?.change({ src }), { tag: HISTORY_MERGE_TAG })
}
