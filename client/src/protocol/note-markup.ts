/**
 * A note as a description of elements, drawn by cards and the viewer and printed as HTML for the clipboard. Nothing of
 * a note is ever parsed as HTML.
 */
import { t } from '@lingui/core/macro'
import {
  type Alignment,
  DEFAULT_CELL_WIDTH,
  HEADS_COLUMN,
  HEADS_ROW,
  INDENT_PX,
  type ListItemNode,
  type NoteNode,
  type TableCellNode,
  type TableNode,
  TEXT_FORMATS,
  type TextNode,
} from './note-nodes'
import { readStyle } from './note-style'
import type { RichNote } from './rich-note'

export interface Markup {
  readonly tag: string
  readonly attributes?: Readonly<Record<string, string>>
  readonly style?: Readonly<Record<string, string>>
  readonly children: readonly (Markup | string)[]
}

/** Describes the elements of nodes, in order. */
export function markupOf(nodes: readonly NoteNode[]): readonly (Markup | string)[] {
  return nodes.map(elementOf)
}

function elementOf(node: NoteNode): Markup | string {
  switch (node.type) {
    case 'text':
    case 'code-highlight':
      return formatted(node)
    case 'tab':
      return '\t'
    case 'linebreak':
      return { tag: 'br', children: [] }
    case 'image':
      return image(node)
    case 'heading':
      return block(node.tag, node)
    case 'quote':
      return block('blockquote', node)
    case 'list':
      return { ...block(node.tag, { ...node, indent: 0 }), attributes: listAttributes(node) }
    case 'listitem':
      return listItem(node)
    case 'code':
      return { tag: 'pre', children: [{ tag: 'code', children: markupOf(node.children) }] }
    case 'link':
    case 'autolink':
      return link(node)
    case 'mark':
      return { tag: 'mark', children: markupOf(node.children) }
    case 'table':
      return table(node)
    case 'tablerow':
      return {
        tag: 'tr',
        ...(node.height && { style: { height: `${node.height}px` } }),
        children: markupOf(node.children),
      }
    case 'tablecell':
      return cell(node)
    case 'root':
    case 'paragraph':
      return block('p', node)
  }
}

interface BlockLike {
  readonly children: readonly NoteNode[]
  readonly format: Alignment
  readonly indent: number
}

function block(tag: string, { children, format, indent }: BlockLike): Markup {
  return {
    tag,
    style: {
      ...(format && { 'text-align': format }),
      ...(indent > 0 && { 'padding-inline-start': `${indent * INDENT_PX}px` }),
    },
    children: markupOf(children),
  }
}

const TAGS: readonly (readonly [number, string])[] = [
  [TEXT_FORMATS.code, 'code'],
  [TEXT_FORMATS.subscript, 'sub'],
  [TEXT_FORMATS.superscript, 'sup'],
  [TEXT_FORMATS.strikethrough, 's'],
  [TEXT_FORMATS.underline, 'u'],
  [TEXT_FORMATS.italic, 'em'],
  [TEXT_FORMATS.bold, 'strong'],
  [TEXT_FORMATS.highlight, 'mark'],
]

function formatted({ text, format, style }: TextNode): Markup | string {
  const wrapped = TAGS.filter(([bit]) => (format & bit) !== 0).reduce<Markup | string>(
    (inner, [, tag]) => ({ tag, children: [inner] }),
    text,
  )
  return style === '' ? wrapped : { tag: 'span', style: { ...readStyle(style) }, children: [wrapped] }
}

function listAttributes({ listType, start }: Extract<NoteNode, { type: 'list' }>): Record<string, string> {
  return {
    ...(listType === 'check' && { 'data-list': 'check' }),
    ...(listType === 'number' && start !== 1 && { start: String(start) }),
  }
}

function listItem({ checked, children }: ListItemNode): Markup {
  const items = markupOf(children)
  // The editor wraps a nested list in an item of its own, which gets no marker.
  if (children[0]?.type === 'list') return { tag: 'li', attributes: { 'data-nested': '' }, children: items }
  if (checked === undefined) return { tag: 'li', children: items }
  const state = checked ? 'done' : 'open'
  const box: Markup = {
    tag: 'span',
    attributes: { role: 'img', 'aria-label': checked ? t`Done` : t`Not done`, 'data-box': state },
    children: [checked ? '☑ ' : '☐ '],
  }
  return { tag: 'li', attributes: { 'data-check': state }, children: [box, ...items] }
}

function link({ url, title, children }: Extract<NoteNode, { type: 'link' | 'autolink' }>): Markup {
  const attributes = { href: url, target: '_blank', rel: 'noreferrer', ...(title && { title }) }
  return { tag: 'a', attributes, children: markupOf(children) }
}

function image({ src, altText, width, height, maxWidth }: Extract<NoteNode, { type: 'image' }>): Markup {
  const style = {
    ...(width > 0 && { width: `${width}px` }),
    ...(width > 0 && height > 0 && { 'aspect-ratio': `${width} / ${height}` }),
    'max-width': `min(100%, ${maxWidth}px)`,
  }
  return { tag: 'img', attributes: { src, alt: altText }, style, children: [] }
}

function table({ colWidths, rowStriping, frozenColumnCount, frozenRowCount, children }: TableNode): Markup {
  const columns: Markup[] = (colWidths ?? []).map((width) => ({
    tag: 'col',
    style: { width: `${width}px` },
    children: [],
  }))
  return {
    tag: 'table',
    attributes: {
      ...(rowStriping && { 'data-striped': '' }),
      ...(frozenRowCount > 0 && { 'data-frozen-row': '' }),
      ...(frozenColumnCount > 0 && { 'data-frozen-column': '' }),
    },
    children: [
      ...(columns.length > 0 ? [{ tag: 'colgroup', children: columns }] : []),
      { tag: 'tbody', children: markupOf(children) },
    ],
  }
}

function cell(node: TableCellNode): Markup {
  const { headerState, colSpan, rowSpan, backgroundColor, verticalAlign, width } = node
  const scope = headerState & HEADS_COLUMN ? 'col' : headerState & HEADS_ROW ? 'row' : null
  return {
    tag: scope ? 'th' : 'td',
    attributes: {
      ...(scope && { scope }),
      ...(colSpan > 1 && { colspan: String(colSpan) }),
      ...(rowSpan > 1 && { rowspan: String(rowSpan) }),
    },
    style: {
      ...(width && { width: `${width}px` }),
      ...(backgroundColor && { 'background-color': backgroundColor }),
      ...(verticalAlign && { 'vertical-align': verticalAlign }),
    },
    children: markupOf(node.children),
  }
}

/** Prints title and content as HTML for other programs. Pictures that are not data URLs are left out. */
export function noteHtml({ title, root }: RichNote): string {
  const heading: Markup[] = title ? [{ tag: 'h1', children: [title] }] : []
  const children = (root?.children ?? []).map(forExport)
  return printHtml([...heading, ...markupOf(children)])
}

/** Prepares a node for other programs, which know neither `item:` addresses nor our default cell width. */
function forExport(node: NoteNode): NoteNode {
  if (node.type === 'image') return node.src.startsWith('data:') ? node : { ...node, src: '' }
  if (!('children' in node)) return node
  const children = node.children.map(forExport)
  if (node.type === 'tablecell') return { ...node, width: node.width ?? DEFAULT_CELL_WIDTH, children }
  return { ...node, children }
}

const VOID = new Set(['br', 'img', 'col'])

/** Prints elements as HTML text. */
export function printHtml(nodes: readonly (Markup | string)[]): string {
  return nodes.map((node) => (typeof node === 'string' ? escapeHtml(node) : printElement(node))).join('')
}

function printElement({ tag, attributes = {}, style = {}, children }: Markup): string {
  const css = Object.entries(style)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ')
  const all = Object.entries(css ? { ...attributes, style: css } : attributes)
  const open = [tag, ...all.map(([name, value]) => `${name}="${escapeHtml(value)}"`)].join(' ')
  return VOID.has(tag) ? `<${open}>` : `<${open}>${printHtml(children)}</${tag}>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character)
}
