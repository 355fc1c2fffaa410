/** What is shown as one card: an item, or a batch, the files that were shared together (F14). */
import type { ItemId } from '../protocol/bindings'
import { addressee, type Item, type ItemContent } from '../protocol/item'

export type FileItem = Item & { readonly content: Extract<ItemContent, { kind: 'file' }> }

/**
 * The files of a batch that are in the beam, in the order in which they were chosen. The rest is that of its earliest
 * item, so that a batch has its place among the items as any of them has.
 */
export interface Batch extends Pick<Item, 'seq' | 'from' | 'at' | 'note' | 'to'> {
  /** The id of the batch. It stays while files come and go. */
  readonly id: ItemId
  readonly content: { readonly kind: 'batch'; readonly files: readonly FileItem[] }
}

export type Card = Item | Batch

export type CardContent = Card['content']

export function isBatch(card: Card): card is Batch {
  return card.content.kind === 'batch'
}

// Derived from the list of items alone, so a list is grouped once, whoever asks.
const cardsOfLists = new WeakMap<readonly Item[], readonly Card[]>()
// A batch whose files are the same stays the same object, so that it is not rendered again.
const batchesOfFiles = new WeakMap<FileItem, Batch>()

/** Groups the items into cards, in the order of their earliest items. */
export function cardsOf(items: readonly Item[]): readonly Card[] {
  const known = cardsOfLists.get(items)
  if (known) return known
  const cards = group(items)
  cardsOfLists.set(items, cards)
  return cards
}

/** Returns the items that cards consist of, in the beam's order. An item's own id is taken as well. */
export function itemsOfCards(items: readonly Item[], cards: readonly ItemId[]): readonly Item[] {
  const wanted = new Set(cards)
  for (const card of cardsOf(items)) {
    if (isBatch(card) && wanted.has(card.id)) for (const { id } of card.content.files) wanted.add(id)
  }
  return items.filter(({ id }) => wanted.has(id))
}

function group(items: readonly Item[]): readonly Card[] {
  const files = new Map<ItemId, FileItem[]>()
  const ids = new Set(items.map(({ id }) => id))
  const cards: (Item | FileItem[])[] = []
  for (const item of items) {
    const batch = isFile(item) ? item.content.batch : undefined
    // An id that is taken by an item would give two cards one id.
    if (!isFile(item) || !batch || ids.has(batch.id)) {
      cards.push(item)
      continue
    }
    const others = files.get(batch.id)
    // What another device shares under the id of a batch does not belong to it, nor what others get to see.
    if (others && !belongTogether(others[0], item)) cards.push(item)
    else if (others) others.push(item)
    else {
      const fresh = [item]
      files.set(batch.id, fresh)
      cards.push(fresh)
    }
  }
  return cards.map((card) => (Array.isArray(card) ? batchOf(card) : card))
}

export function isFile(item: Item): item is FileItem {
  return item.content.kind === 'file'
}

/** Whether two files are of one device, and for the same devices. */
function belongTogether(first: FileItem | undefined, item: FileItem): boolean {
  if (!first) return true
  // A file that the server has not named the device of was shared from here, as the others of its batch.
  const isOfOneDevice = first.from === null || item.from === null || first.from === item.from
  return isOfOneDevice && first.to === item.to
}

function batchOf(files: readonly FileItem[]): Card {
  const [first] = files
  const id = first?.content.batch?.id
  if (!first || !id) throw new Error('a batch has at least one file')
  const inOrder = files.toSorted((a, b) => indexOf(a) - indexOf(b))
  const known = batchesOfFiles.get(first)
  if (known?.id === id && isSame(known.content.files, inOrder)) return known
  const { seq, from, at, note, to } = first
  const batch: Batch = {
    id,
    seq,
    from,
    at,
    note,
    ...addressee(to),
    content: { kind: 'batch', files: inOrder },
  }
  batchesOfFiles.set(first, batch)
  return batch
}

function indexOf({ content }: FileItem): number {
  return content.batch?.index ?? 0
}

function isSame(a: readonly FileItem[], b: readonly FileItem[]): boolean {
  return a.length === b.length && a.every((file, at) => file === b[at])
}
