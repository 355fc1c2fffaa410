/** Rich notes (`lexi_note`): a title and the state of the editor, and their form in `share_clipboard`. */
import { t } from '@lingui/core/macro'
import { parseJson } from './envelope'
import type { NoteNode, RootNode } from './note-nodes'
import { readNoteState } from './note-state'

/** The `extra` under which a rich note is shared. */
export const RICH_NOTE = 'lexi_note'
/** Returns what is shown where a note has no title. */
export const untitledNote = () => t`Untitled Note`
export const LONGEST_TITLE = 200
/** Largest state as JSON, in bytes. Pictures that do not fit are shared as items of their own. */
export const MAX_NOTE_STATE_BYTES = 128 * 1024

export interface RichNote {
  readonly title: string
  /** Null when the state was refused: the note is then shown as broken. */
  readonly root: RootNode | null
}

/** A note without content. */
export const EMPTY_ROOT: RootNode = {
  type: 'root',
  version: 1,
  children: [],
  direction: null,
  format: '',
  indent: 0,
}

/** Reads the message of a rich note: `{title, content}`, or the same as JSON text. Never fails. */
export function readRichNote(message: unknown): RichNote {
  const payload = typeof message === 'string' ? parseJson(message) : message
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload))
    return { title: '', root: null }
  const { title, content } = payload as { title?: unknown; content?: unknown }
  return {
    title: typeof title === 'string' ? title.trim().slice(0, LONGEST_TITLE) : '',
    root: content === undefined || content === null || content === '' ? EMPTY_ROOT : readNoteState(content),
  }
}

/** Returns `message` and `extra` of a rich note. `base` names the version that it was made from (S36). */
export function richNoteMessage(
  title: string,
  root: RootNode,
  base: string | null = null,
): { message: unknown; extra: string } {
  const note = { title: title.trim().slice(0, LONGEST_TITLE), content: { root } }
  return { message: base === null ? note : { ...note, base }, extra: RICH_NOTE }
}

/** Returns the title of a copy that stands beside the note. */
export function copyTitle(title: string): string {
  const copyOf = (name: string) => t`${name} (copy)`
  const room = LONGEST_TITLE - copyOf('').length
  return copyOf((title.trim() || untitledNote()).slice(0, room))
}

/** Appends a text to the content, with a paragraph for each of its lines. */
export function withText(root: RootNode, text: string): RootNode {
  if (text === '') return root
  const plain = { version: 1, format: 0, detail: 0, mode: 'normal', style: '' } as const
  const paragraphs = text.split('\n').map((line): NoteNode => {
    const children: NoteNode[] = line === '' ? [] : [{ ...plain, type: 'text', text: line }]
    return { ...EMPTY_ROOT, type: 'paragraph', children }
  })
  return { ...root, children: [...root.children, ...paragraphs] }
}

/** Returns title and content as plain text: a line for each block, tabs between cells. */
export function plainText({ title, root }: RichNote): string {
  const body = root ? textOf(root).trim() : ''
  return title && body ? `${title}\n\n${body}` : title || body
}

/** Returns the content as plain text, without the title. */
export function bodyText(root: RootNode): string {
  return textOf(root).trim()
}

/** Iterates over every node of a note, each before its children. */
export function* nodesOf(node: NoteNode): Generator<NoteNode> {
  yield node
  if ('children' in node) for (const child of node.children) yield* nodesOf(child)
}

/** Returns the text of a node without the lists in it, in one line. */
export function lineOf({ children }: { readonly children: readonly NoteNode[] }): string {
  return joined(children.filter(({ type }) => type !== 'list'))
    .replace(/\s+/g, ' ')
    .trim()
}

function textOf(node: NoteNode): string {
  switch (node.type) {
    case 'text':
    case 'code-highlight':
    case 'tab':
      return node.text
    case 'linebreak':
      return '\n'
    case 'image':
      return node.altText ? `[${node.altText}]` : ''
    case 'tablerow':
      return node.children.map((cell) => textOf(cell).trim().replaceAll('\n', ' ')).join('\t')
    case 'listitem':
      return `${marker(node)}${joined(node.children)}`
    default:
      return joined(node.children)
  }
}

/** Joins the texts of nodes: blocks get lines of their own, inline nodes follow each other. */
function joined(nodes: readonly NoteNode[]): string {
  return nodes.reduce((sum, node) => {
    const part = textOf(node)
    const breaks = sum !== '' && isBlock(node) && !sum.endsWith('\n')
    return `${sum}${breaks ? '\n' : ''}${part}`
  }, '')
}

function isBlock({ type }: NoteNode): boolean {
  return !['text', 'code-highlight', 'tab', 'linebreak', 'image', 'link', 'autolink', 'mark'].includes(type)
}

function marker({ checked, children }: Extract<NoteNode, { type: 'listitem' }>): string {
  if (children[0]?.type === 'list' || checked === undefined) return ''
  return checked ? '[x] ' : '[ ] '
}
