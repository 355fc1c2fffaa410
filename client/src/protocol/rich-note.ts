/** A rich note (`lexi_note`): a title and the state of the editor, and how they stand in `share_clipboard`. */
import { parseJson } from './envelope'
import type { NoteNode, RootNode } from './note-nodes'
import { readNoteState } from './note-state'

/** The type under which a rich note is shared. */
export const RICH_NOTE = 'lexi_note'
/** What stands where a note has no title. */
export const UNTITLED = 'Untitled Note'
export const LONGEST_TITLE = 200
/** The state as JSON; larger pictures are shared beside the note. */
export const MAX_NOTE_STATE_BYTES = 128 * 1024

export interface RichNote {
  readonly title: string
  /** Null when the state was refused: such a note says that it is broken. */
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

/** Reads the message of a rich note: `{title, content}`, or that as JSON text. Total. */
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

/** `message` and `extra` of a rich note. */
export function richNoteMessage(title: string, root: RootNode): { message: unknown; extra: string } {
  return { message: { title: title.trim().slice(0, LONGEST_TITLE), content: { root } }, extra: RICH_NOTE }
}

/** The content, and after it a text: a paragraph for each of its lines. */
export function withText(root: RootNode, text: string): RootNode {
  if (text === '') return root
  const plain = { version: 1, format: 0, detail: 0, mode: 'normal', style: '' } as const
  const paragraphs = text.split('\n').map((line): NoteNode => {
    const children: NoteNode[] = line === '' ? [] : [{ ...plain, type: 'text', text: line }]
    return { ...EMPTY_ROOT, type: 'paragraph', children }
  })
  return { ...root, children: [...root.children, ...paragraphs] }
}

/** Title and content as plain text: lines for blocks, tabs between cells. */
export function plainText({ title, root }: RichNote): string {
  const body = root ? textOf(root).trim() : ''
  return title && body ? `${title}\n\n${body}` : title || body
}

/** The content alone as plain text. */
export function bodyText(root: RootNode): string {
  return textOf(root).trim()
}

/** Every node of a note, the outer before the inner. */
export function* nodesOf(node: NoteNode): Generator<NoteNode> {
  yield node
  if ('children' in node) for (const child of node.children) yield* nodesOf(child)
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

/** Blocks stand on lines of their own, what is inline follows. */
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
