/** Learns the lists of the items that are many files (F16): from the file that is here, or while it arrives. */
import type { ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { readManifest } from '../protocol/manifest'
import type { PackList } from '../stores/packs'
import type { Stores } from '../stores/stores'
import { addressIn } from '../stores/transfers'
import { startOf } from './file-bytes'

/**
 * Pauses before a list that could not be read is read again, because the server or the network was away, in milliseconds.
 * The last one repeats.
 */
const AGAIN_MS = [10_000, 30_000, 60_000, 300_000]

/** Keeps the lists up to date with the items and the transfers. Call it once. */
export function learnPacks(stores: Pick<Stores, 'items' | 'transfers' | 'packs'>): void {
  const { items, transfers, packs } = stores
  const asked = new Set<string>()
  /** How often each address could not be read. */
  const failed = new Map<string, number>()
  const look = () => {
    const { lists } = packs.getState()
    for (const { id, content } of items.getState().items) {
      if (content.kind !== 'file' || !content.manifest || lists[id]) continue
      const url = addressIn(transfers.getState().transfers[id]) ?? content.url
      if (url === null || asked.has(url)) continue
      asked.add(url)
      void startOf(url, content, content.manifest.bytes).then(
        (bytes) => learnPack(stores, id, bytes),
        () => again(url),
      )
    }
  }
  const again = (url: string) => {
    const failures = failed.get(url) ?? 0
    failed.set(url, failures + 1)
    const retry = () => {
      asked.delete(url)
      look()
    }
    setTimeout(retry, AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)])
  }
  items.subscribe((now, before) => {
    if (now.items === before.items) return
    forgetGone(stores)
    look()
  })
  transfers.subscribe(look)
}

/** Takes the first bytes of an item, which are to be its manifest. */
export function learnPack({ items, packs }: Pick<Stores, 'items' | 'packs'>, id: ItemId, bytes: Uint8Array) {
  const item = items.getState().items.find((one) => one.id === id)
  const list = item && listOf(item, bytes)
  if (list) packs.setState(({ lists }) => ({ lists: { ...lists, [id]: list } }))
}

function listOf({ content }: Item, bytes: Uint8Array): PackList | null {
  if (content.kind !== 'file' || !content.manifest) return null
  return readManifest(bytes, content.manifest, content.size) ?? 'unreadable'
}

/** A list goes with its item. */
function forgetGone({ items, packs }: Pick<Stores, 'items' | 'packs'>): void {
  const here = new Set(items.getState().items.map(({ id }) => id))
  const known = Object.entries(packs.getState().lists)
  const left = known.filter(([id]) => here.has(id as ItemId))
  if (left.length < known.length) packs.setState({ lists: Object.fromEntries(left) })
}
