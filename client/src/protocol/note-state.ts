/**
 * Reads the editor state of a note from another device against an allow-list of nodes, of their children and of their
 * fields. A state with an unknown node is refused as a whole; only fields that were checked are passed on.
 */
import { linkUrl } from './link-url'
import { DEFAULT_IMAGE_WIDTH, type NoteNode, type NoteType, type RootNode } from './note-nodes'
import { readStyle, storedColour, writeStyle } from './note-style'

const DEEPEST = 64
const MOST_NODES = 20_000

class Refused extends Error {}

/** Reads one field; absent and null arrive as undefined. An undefined result leaves the field out. */
type ReadField = (value: unknown) => unknown

interface Shape {
  readonly fields: Readonly<Record<string, ReadField>>
  readonly children?: readonly NoteType[]
}

const PICTURE_DATA = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);base64,[A-Za-z0-9+/]+={0,2}$/
const PICTURE_ITEM = /^item:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const PICTURE_STORED = /^\/api\/uploads\/[0-9A-Za-z_-]{16,64}$/

/** Whether a picture's address refers only to data in the note, an item of the beam or a stored copy. */
export function isPictureSource(src: string): boolean {
  return PICTURE_DATA.test(src) || PICTURE_ITEM.test(src) || PICTURE_STORED.test(src)
}

function text(longest: number, fallback?: string): ReadField {
  return (value = fallback) => {
    if (typeof value !== 'string' || value.length > longest) throw new Refused()
    return value
  }
}

function optionalText(longest: number): ReadField {
  return (value) => (value === undefined ? undefined : text(longest)(value))
}

function number(from: number, to: number, fallback?: number): ReadField {
  return (value) => {
    if (value === undefined) return fallback
    if (typeof value !== 'number' || !Number.isFinite(value)) throw new Refused()
    return Math.min(to, Math.max(from, value))
  }
}

function whole(from: number, to: number, fallback?: number): ReadField {
  const read = number(from, to, fallback)
  return (value) => {
    const found = read(value)
    return typeof found === 'number' ? Math.trunc(found) : found
  }
}

function flag(fallback?: boolean): ReadField {
  return (value = fallback) => {
    if (value !== undefined && typeof value !== 'boolean') throw new Refused()
    return value
  }
}

function oneOf(values: readonly unknown[], fallback?: unknown): ReadField {
  return (value = fallback) => {
    if (!values.includes(value)) throw new Refused()
    return value
  }
}

function listOf(read: ReadField, longest: number): ReadField {
  return (value) => {
    if (value === undefined) return undefined
    if (!Array.isArray(value) || value.length > longest) throw new Refused()
    return value.map((entry) => read(entry))
  }
}

const style: ReadField = (value = '') => {
  if (typeof value !== 'string') throw new Refused()
  return writeStyle(readStyle(value))
}

const orNull =
  (read: ReadField): ReadField =>
  (value) =>
    value === undefined ? null : read(value)

const url: ReadField = (value) => linkUrl(text(8192)(value) as string)

// A picture from elsewhere is never fetched. Its node stays, with its alternative text.
const source: ReadField = (value = '') => {
  if (typeof value !== 'string') throw new Refused()
  return isPictureSource(value) ? value : ''
}

// Other editors write `inherit` for an unknown size.
const size: ReadField = (value) => number(0, 10_000, 0)(value === 'inherit' ? undefined : value)

const INLINE = ['text', 'linebreak', 'tab', 'link', 'autolink', 'mark', 'image', 'code-highlight'] as const
const BLOCKS = ['paragraph', 'heading', 'quote', 'list', 'code', 'table'] as const

const BLOCK = {
  direction: orNull(oneOf(['ltr', 'rtl'])),
  format: oneOf(['', 'left', 'start', 'center', 'right', 'end', 'justify'], ''),
  indent: whole(0, 20, 0),
}
const WRITTEN = {
  format: whole(0, 2047, 0),
  detail: whole(0, 3, 0),
  mode: oneOf(['normal', 'token', 'segmented'], 'normal'),
  style,
}
const LINK = {
  ...BLOCK,
  url,
  target: orNull(oneOf(['_blank', '_self', '_parent', '_top'])),
  rel: orNull(text(200)),
  title: orNull(text(1000)),
}
const TEXT_LINE = { textFormat: whole(0, 2047), textStyle: (value: unknown) => style(value) || undefined }

const SHAPES: Readonly<Record<NoteType, Shape>> = {
  root: { fields: BLOCK, children: [...BLOCKS, 'image'] },
  paragraph: { fields: { ...BLOCK, ...TEXT_LINE }, children: INLINE },
  heading: { fields: { ...BLOCK, tag: oneOf(['h1', 'h2', 'h3', 'h4', 'h5', 'h6']) }, children: INLINE },
  quote: { fields: BLOCK, children: [...BLOCKS, ...INLINE] },
  list: {
    fields: {
      ...BLOCK,
      listType: oneOf(['bullet', 'number', 'check']),
      start: whole(0, 1_000_000, 1),
      tag: oneOf(['ul', 'ol'], 'ul'),
    },
    children: ['listitem'],
  },
  listitem: {
    fields: { ...BLOCK, checked: flag(), value: whole(0, 1_000_000, 1) },
    children: [...BLOCKS, ...INLINE],
  },
  code: { fields: { ...BLOCK, language: optionalText(40) }, children: INLINE },
  link: { fields: LINK, children: INLINE },
  autolink: { fields: { ...LINK, isUnlinked: flag(false) }, children: INLINE },
  mark: { fields: { ...BLOCK, ids: listOf(text(200), 100) }, children: INLINE },
  table: {
    fields: {
      ...BLOCK,
      colWidths: listOf(number(0, 4000), 200),
      rowStriping: flag(false),
      frozenColumnCount: whole(0, 50, 0),
      frozenRowCount: whole(0, 50, 0),
    },
    children: ['tablerow'],
  },
  tablerow: { fields: { ...BLOCK, height: number(0, 4000) }, children: ['tablecell'] },
  tablecell: {
    fields: {
      ...BLOCK,
      headerState: oneOf([0, 1, 2, 3], 0),
      colSpan: whole(1, 200, 1),
      rowSpan: whole(1, 200, 1),
      width: number(0, 4000),
      backgroundColor: (value) => (typeof value === 'string' ? storedColour(value) : null),
      verticalAlign: (value) => (value === 'middle' || value === 'bottom' ? value : undefined),
    },
    children: [...BLOCKS, ...INLINE],
  },
  text: { fields: { ...WRITTEN, text: text(1_000_000) } },
  'code-highlight': { fields: { ...WRITTEN, text: text(1_000_000) } },
  tab: { fields: { ...WRITTEN, mode: oneOf(['normal'], 'normal'), text: () => '\t' } },
  linebreak: { fields: {} },
  image: {
    fields: {
      src: source,
      altText: text(2000, ''),
      width: size,
      height: size,
      maxWidth: number(1, 10_000, DEFAULT_IMAGE_WIDTH),
    },
  },
}

// `JSON.parse` creates these as own members; copying such a member could change the prototype of every object.
const PROTOTYPE_KEYS = ['__proto__', 'constructor', 'prototype']

/** Reads the state's root from an object or its JSON text. Null when anything in it is not allowed. */
export function readNoteState(state: unknown): RootNode | null {
  try {
    const { root } = record(typeof state === 'string' ? (JSON.parse(state) as unknown) : state)
    return read(root, ['root'], 1, { nodes: 0 }) as RootNode
  } catch {
    return null
  }
}

/** Reads one node and its children by the same rules. Null when anything in it is not allowed. */
export function readNode(node: unknown): NoteNode | null {
  try {
    return read(node, Object.keys(SHAPES) as NoteType[], 1, { nodes: 0 })
  } catch {
    return null
  }
}

function read(value: unknown, allowed: readonly NoteType[], depth: number, sum: { nodes: number }): NoteNode {
  const found = record(value)
  sum.nodes += 1
  const type = allowed.find((name) => name === found.type)
  if (type === undefined || depth > DEEPEST || sum.nodes > MOST_NODES) throw new Refused()
  const { fields, children } = SHAPES[type]
  const node: Record<string, unknown> = { type, version: 1 }
  for (const [name, readField] of Object.entries(fields)) {
    const kept = readField(Object.hasOwn(found, name) ? (found[name] ?? undefined) : undefined)
    if (kept !== undefined) node[name] = kept
  }
  if (children) node.children = list(found.children).map((child) => read(child, children, depth + 1, sum))
  // The table of shapes guarantees the fields that the types declare.
  return node as unknown as NoteNode
}

function record(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Refused()
  if (PROTOTYPE_KEYS.some((key) => Object.hasOwn(value, key))) throw new Refused()
  return value as Record<string, unknown>
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new Refused()
  return value
}
