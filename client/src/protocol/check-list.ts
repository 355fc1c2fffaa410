/** The check lists of a note: reads their items, and ticks one of them. */
import type { ListItemNode, NoteNode, RootNode } from './note-nodes'
import { lineOf } from './rich-note'

export interface CheckItem {
  readonly text: string
  readonly checked: boolean
}

/** The wish that an item of a check list be ticked or not. It holds for other versions of the note too. */
export interface Tick extends CheckItem {
  /** The number of the item in the version that the person saw, counted from 0. */
  readonly number: number
}

/** Returns all items of check lists, in the order in which they are read. */
export function checkItems(root: RootNode): readonly CheckItem[] {
  return [...checkNodes(root)].map((node) => ({ text: lineOf(node), checked: node.checked === true }))
}

/**
 * Returns the note with an item ticked; null when it has no such item, or the item is ticked already. Where the items
 * have changed, the item with the same text counts, of several the one whose number is nearest.
 */
export function withTick(root: RootNode, tick: Tick): RootNode | null {
  const same = [...checkNodes(root)]
    .map((node, number) => ({ node, number }))
    .filter(({ node }) => lineOf(node) === tick.text)
    .sort((a, b) => Math.abs(a.number - tick.number) - Math.abs(b.number - tick.number))
  const [nearest] = same
  if (!nearest || nearest.node.checked === tick.checked) return null
  return replaced(root, nearest.node, { ...nearest.node, checked: tick.checked }) as RootNode
}

/** An item that only wraps a nested list has no box of its own. */
function* checkNodes(node: NoteNode): Generator<ListItemNode> {
  if (node.type === 'listitem' && node.checked !== undefined && node.children[0]?.type !== 'list') yield node
  if ('children' in node) for (const child of node.children) yield* checkNodes(child)
}

/** Copies only the nodes on the way to the replaced one. */
function replaced(node: NoteNode, old: NoteNode, fresh: NoteNode): NoteNode {
  if (node === old) return fresh
  if (!('children' in node)) return node
  const children = node.children.map((child) => replaced(child, old, fresh))
  return children.every((child, at) => child === node.children[at]) ? node : { ...node, children }
}
