/** What the keys of a tree do (WAI-ARIA Authoring Practices, tree view). */
import type { PackTree } from '../../protocol/pack-tree'

type TreeKey =
  | 'up'
  | 'down'
  | 'first'
  | 'last'
  | 'page-up'
  | 'page-down'
  | 'open'
  | 'close'
  | 'toggle'
  | 'all'

const KEYS: Readonly<Record<string, TreeKey>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  Home: 'first',
  End: 'last',
  PageUp: 'page-up',
  PageDown: 'page-down',
  ' ': 'toggle',
  Enter: 'toggle',
}

interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
}

/**
 * Returns what a key means; null for one that is not the tree's.
 * @param forward 1 where the texts run to the right, else -1
 */
export function treeKey({ key, ctrlKey, metaKey, altKey }: Pressed, forward: 1 | -1): TreeKey | null {
  if (ctrlKey || metaKey) return key.toLowerCase() === 'a' ? 'all' : null
  if (altKey) return null
  if (key === 'ArrowRight') return forward === 1 ? 'open' : 'close'
  if (key === 'ArrowLeft') return forward === 1 ? 'close' : 'open'
  return KEYS[key] ?? null
}

/** The tree as it is shown. Rows are told by their numbers. */
export interface ShownTree {
  readonly tree: PackTree
  readonly closed: ReadonlySet<string>
  readonly shown: readonly number[]
  readonly active: number
}

export type TreeStep =
  /** Chooses the active row, or everything; or no longer. */
  | { readonly do: 'choose'; readonly all: boolean }
  | { readonly do: 'fold'; readonly isOpen: boolean }
  /** Letters were typed; the row that begins with them becomes active, if there is one. */
  | { readonly do: 'find'; readonly typed: Typed; readonly place: number | null }
  /** Another row becomes active: the one in this place among those that are shown. */
  | { readonly do: 'go'; readonly place: number }

/** @param page how many rows are visible at once */
export function treeStep(key: TreeKey, view: ShownTree, page: number): TreeStep {
  if (key === 'toggle' || key === 'all') return { do: 'choose', all: key === 'all' }
  if (key === 'open' && isFolded(view)) return { do: 'fold', isOpen: true }
  if (key === 'close' && isUnfolded(view)) return { do: 'fold', isOpen: false }
  const last = view.shown.length - 1
  return { do: 'go', place: Math.min(Math.max(placeAfter(key, view, page), 0), last) }
}

function placeAfter(
  key: Exclude<TreeKey, 'toggle' | 'all'>,
  { tree, shown, active }: ShownTree,
  page: number,
): number {
  const at = shown.indexOf(active)
  switch (key) {
    case 'up':
      return at - 1
    case 'down':
      return at + 1
    case 'first':
      return 0
    case 'last':
      return shown.length
    case 'page-up':
      return at - page
    case 'page-down':
      return at + page
    // A folder that is open leads into it; a file stays.
    case 'open':
      return holdsRows(tree, active) ? at + 1 : at
    // What is closed already leads to its folder.
    case 'close':
      return shown.indexOf(folderOf(tree, active))
  }
}

function isFolded({ tree, closed, active }: ShownTree): boolean {
  return holdsRows(tree, active) && closed.has(tree.rows[active]?.path ?? '')
}

function isUnfolded({ tree, closed, active }: ShownTree): boolean {
  return holdsRows(tree, active) && !closed.has(tree.rows[active]?.path ?? '')
}

/** Whether a row is a folder that is not empty. */
export function holdsRows({ rows }: PackTree, at: number): boolean {
  return (rows[at]?.next ?? 0) > at + 1
}

/** Returns the folder that a row is in; the row itself at the top. */
function folderOf({ rows }: PackTree, at: number): number {
  const depth = rows[at]?.depth ?? 0
  if (depth === 0) return at
  let folder = at
  while (folder > 0 && (rows[folder]?.depth ?? 0) >= depth) folder -= 1
  return folder
}

/** Letters within so many milliseconds of each other are the beginning of one name. */
const TYPED_WITHIN_MS = 700

/** What was typed last, and when, in milliseconds. */
export interface Typed {
  readonly text: string
  readonly at: number
}

/** Returns what a pressed key does; null for one that is not the tree's. `page`: how many rows are visible at once. */
export function pressStep(
  pressed: Pressed & { readonly timeStamp: number },
  before: Typed,
  view: ShownTree,
  { direction, page }: { readonly direction: 1 | -1; readonly page: number },
): TreeStep | null {
  const typed = typedWith(before, pressed, pressed.timeStamp)
  if (typed) return { do: 'find', typed, place: placeOfTyped(typed.text, view) }
  const key = treeKey(pressed, direction)
  return key && treeStep(key, view, page)
}

/** Returns what was typed with one more letter; null for a key that is none. A space begins no name. */
export function typedWith(
  before: Typed,
  { key, ctrlKey, metaKey, altKey }: Pressed,
  now: number,
): Typed | null {
  const text = now - before.at < TYPED_WITHIN_MS ? before.text : ''
  const isLetter = [...key].length === 1 && !(ctrlKey || metaKey || altKey)
  return isLetter && (key !== ' ' || text !== '') ? { text: text + key, at: now } : null
}

/** Returns the place of the next shown row, after the active one, whose name begins with what was typed; null for none. */
export function placeOfTyped(text: string, { tree, shown, active }: ShownTree): number | null {
  const wanted = text.toLowerCase()
  // A longer beginning may still mean the active row.
  const from = shown.indexOf(active) + (wanted.length > 1 ? 0 : 1)
  for (let step = 0; step < shown.length; step += 1) {
    const place = (from + step) % shown.length
    const row = tree.rows[shown[place] ?? -1]
    if (row?.name.toLowerCase().startsWith(wanted)) return place
  }
  return null
}
