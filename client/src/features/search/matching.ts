/** Decides which items match what is looked for. */
import { i18n } from '@lingui/core'
import type { ItemId } from '../../protocol/bindings'
import { copyableText, type Item, type ItemContent } from '../../protocol/item'
import { RICH_NOTE } from '../../protocol/rich-note'
import type { PackList } from '../../stores/packs'
import type { SearchKind, SearchState } from '../../stores/search'
import { kindOf } from '../item/describe'

/** The texts of items as they are compared, in one language. An item is a new object when it changes. */
const comparable = new WeakMap<Item, { readonly locale: string; readonly text: string }>()

/**
 * Returns the matching items; null when nothing is looked for. `authorOf` names the device that shared an item, and
 * `filesOf` lists the files of an item that is many (F16), where they are known.
 */
export function matching(
  items: readonly Item[],
  { text, kind }: Pick<SearchState, 'text' | 'kind'>,
  authorOf: (item: Item) => string,
  filesOf: (id: ItemId) => PackList | undefined = () => undefined,
): ReadonlySet<ItemId> | null {
  const words = folded(text).split(/\s+/).filter(Boolean)
  if (words.length === 0 && kind === null) return null
  const ofKind = kind === null ? items : items.filter((item) => searchKindOf(item.content) === kind)
  // Items with the words as they were typed, side by side, are meant before those that only have all of them.
  const phrase = words.join(' ')
  const exact = words.length > 1 ? ofKind.filter((item) => textOf(item).includes(phrase)) : []
  const hasAll = (item: Item) =>
    words.every((word) => textOf(item).includes(word) || folded(authorOf(item)).includes(word)) ||
    pathsIn(filesOf(item.id)).some((path) => words.every((word) => path.includes(word)))
  const found = exact.length > 0 ? exact : ofKind.filter(hasAll)
  return new Set(found.map(({ id }) => id))
}

/** The paths of lists as they are compared. */
const comparablePaths = new WeakMap<object, readonly string[]>()

function pathsIn(list: PackList | undefined): readonly string[] {
  if (list === undefined || list === 'unreadable') return []
  const known = comparablePaths.get(list)
  if (known) return known
  const paths = [...list.files.map(({ path }) => path), ...list.folders].map(folded)
  comparablePaths.set(list, paths)
  return paths
}

export function searchKindOf(content: ItemContent): SearchKind {
  if (content.kind === RICH_NOTE) return 'note'
  if (content.kind === 'link') return 'link'
  if (content.kind !== 'file') return 'text'
  return content.category === 'image' ? 'picture' : 'file'
}

function textOf(item: Item): string {
  const { locale } = i18n
  const known = comparable.get(item)
  if (known?.locale === locale) return known.text
  const { content } = item
  const text = folded(`${content.kind === 'file' ? content.name : copyableText(content)} ${kindOf(content)}`)
  comparable.set(item, { locale, text })
  return text
}

/** Without case and accents: `Café` is found by `cafe`. */
function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
