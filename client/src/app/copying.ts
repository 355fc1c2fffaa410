/** Copies items to the device's clipboard. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { copyableText } from '../protocol/item'
import { RICH_NOTE, type RichNote } from '../protocol/rich-note'
import { type Card, cardsOf } from '../stores/cards'
import { addressOf } from '../stores/transfers'
import { loadable } from '../ui/lazy-part'
import { writeClipboard, writeRichClipboard } from './clipboard'
import type { Context } from './context'

/** Notes are drawn by the same code, so it is there before one can be copied. */
const loadMarkup = loadable(() => import('../protocol/note-markup'))

export function createCopying({ stores, toaster }: Context): Pick<Actions, 'copyItem' | 'copyItems'> {
  const items = () => stores.items.getState().items
  const cards = () => cardsOf(items())
  const find = (id: ItemId) => [...cards(), ...items()].find((card) => card.id === id)
  const copyText = async (text: string, html: Promise<string> | null = null) => {
    const isWritten = await (html === null ? writeClipboard(text) : writeRichClipboard(text, html))
    if (isWritten) toaster.ok(t`Text copied successfully!`)
  }
  /** Returns the address of a picture on this device; null for any other item. */
  const pictureOf = (id: ItemId): string | null => {
    const item = find(id)
    if (item?.content.kind !== 'file' || stores.media.getState().kinds[id]?.media !== 'image') return null
    return addressOf(item.content, stores.transfers.getState().transfers[id])
  }
  const copyItem = async (id: ItemId) => {
    const item = find(id)
    const text = item && textOf(item)
    if (text !== null && text !== undefined) return copyText(text, htmlOf(item))
    const url = pictureOf(id)
    if (url === null) return
    if (await writePicture(url)) toaster.ok(t`Picture copied successfully!`)
    else toaster.bad(t`Failed to copy the picture!`)
  }
  return {
    copyItem,
    async copyItems(ids) {
      const [only] = ids
      if (only !== undefined && ids.length === 1) return copyItem(only)
      // In the order of the beam, not in the order of selection.
      const wanted = new Set(ids)
      const texts = cards().flatMap((card) => (wanted.has(card.id) ? (textOf(card) ?? []) : []))
      if (texts.length > 0) await copyText(texts.join('\n\n'))
    },
  }
}

/** Of a batch, that is the list of its names; null for a card without text. */
function textOf({ content }: Card): string | null {
  if (content.kind === 'batch') return content.files.map((file) => file.content.name).join('\n')
  return copyableText(content)
}

/** Returns an item as HTML; null for one that is plain text. */
function htmlOf(item: Card | undefined): Promise<string> | null {
  return item?.content.kind === RICH_NOTE ? noteHtml(item.content) : null
}

async function noteHtml(note: RichNote): Promise<string> {
  const markup = await loadMarkup()
  return markup.noteHtml(note)
}

/** Writes a picture to the clipboard as PNG, the only image type that every clipboard accepts. */
async function writePicture(url: string): Promise<boolean> {
  try {
    // The promise is passed at once: some browsers no longer count the tap after an await.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': asPng(url) })])
    return true
  } catch {
    return false
  }
}

async function asPng(url: string): Promise<Blob> {
  const picture = new Image()
  picture.src = url
  await picture.decode()
  const canvas = document.createElement('canvas')
  canvas.width = picture.naturalWidth
  canvas.height = picture.naturalHeight
  canvas.getContext('2d')?.drawImage(picture, 0, 0)
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('too large'))), 'image/png')
  })
}
