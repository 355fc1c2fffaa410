/** Reads the first bytes of each file that this device could show, to decide whether it may be shown. */
import type { ItemId } from '../protocol/bindings'
import type { FileCategory, Item } from '../protocol/item'
import { recognize, START_BYTES } from '../protocol/magic'
import type { Stores } from '../stores/stores'
import { addressIn, type Transfer } from '../stores/transfers'
import { readStart } from '../transport/http'
import { Turns } from './turns'

/** The type of an unrecognized file: it can be saved, but is never shown. */
const ONLY_BYTES = 'application/octet-stream'

/** Files looked at together. More would hold up what the page itself asks the server for. */
const LOOKS_AT_ONCE = 6

/**
 * Recognizes each file once, as soon as this device has an address for it. One that could not be read is looked at
 * again with the next connection.
 */
export function learnMedia({ items, transfers, media, connection }: Stores): void {
  const asked = new Set<string>()
  const unread = new Set<string>()
  const turns = new Turns(LOOKS_AT_ONCE)
  const look = () => {
    const { transfers: byId } = transfers.getState()
    for (const item of items.getState().items) {
      const url = addressOf(item, byId[item.id])
      if (url === null || item.content.kind !== 'file') continue
      // Several items may have one address, and each has a kind of its own.
      const question = `${item.id} ${url}`
      if (asked.has(question)) continue
      asked.add(question)
      const { category } = item.content
      const isLearned = () => learn(item.id, url, category).catch(() => void unread.add(question))
      const leave = turns.enter(() => void isLearned().finally(() => leave()))
    }
  }
  const learn = async (id: ItemId, url: string, category: FileCategory) => {
    const kind = recognize(await readStart(url, START_BYTES), category)
    media.setState(({ kinds }) => ({ kinds: { ...kinds, [id]: kind } }))
  }
  items.subscribe(look)
  transfers.subscribe(look)
  connection.subscribe((now, before) => {
    if (now.status !== 'live' || before.status === 'live') return
    for (const question of unread) asked.delete(question)
    unread.clear()
    look()
  })
}

function addressOf({ content }: Item, transfer: Transfer | undefined): string | null {
  if (content.kind !== 'file') return null
  return content.url !== null && !content.seal ? content.url : addressIn(transfer)
}

/** Returns a type under which a blob URL never runs script: a media type unchanged, any other as bytes. */
export function safeType(type: string): string {
  const isInert = /^(?:audio|video)\/[\w.+-]+$|^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type)
  return isInert ? type : ONLY_BYTES
}

/** Gives received bytes the type that their first bytes show, so that no blob URL has the sender's type. */
export async function typedByBytes(file: Blob, category: FileCategory): Promise<Blob> {
  const start = new Uint8Array(await file.slice(0, START_BYTES).arrayBuffer())
  return file.slice(0, file.size, recognize(start, category)?.type ?? ONLY_BYTES)
}
