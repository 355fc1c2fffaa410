/** The nodes that a rich note may contain: the subset of the editor's serialized state that this client knows. */

export type Alignment = '' | 'left' | 'start' | 'center' | 'right' | 'end' | 'justify'

interface Node<Type extends string> {
  readonly type: Type
  readonly version: 1
}

interface Block<Type extends string> extends Node<Type> {
  readonly children: readonly NoteNode[]
  readonly direction: 'ltr' | 'rtl' | null
  readonly format: Alignment
  readonly indent: number
}

export type RootNode = Block<'root'>

export interface ParagraphNode extends Block<'paragraph'> {
  readonly textFormat?: number
  readonly textStyle?: string
}

export interface HeadingNode extends Block<'heading'> {
  readonly tag: 'h1' | 'h2' | 'h3' | 'h4' | 'h5' | 'h6'
}

export type QuoteNode = Block<'quote'>

export interface ListNode extends Block<'list'> {
  readonly listType: 'bullet' | 'number' | 'check'
  readonly start: number
  readonly tag: 'ul' | 'ol'
}

export interface ListItemNode extends Block<'listitem'> {
  readonly checked?: boolean
  readonly value: number
}

export interface CodeNode extends Block<'code'> {
  readonly language?: string
}

export interface LinkNode extends Block<'link' | 'autolink'> {
  readonly url: string
  readonly target: string | null
  readonly rel: string | null
  readonly title: string | null
  readonly isUnlinked?: boolean
}

export interface MarkNode extends Block<'mark'> {
  readonly ids: readonly string[]
}

export interface TableNode extends Block<'table'> {
  readonly colWidths?: readonly number[]
  readonly rowStriping: boolean
  readonly frozenColumnCount: number
  readonly frozenRowCount: number
}

export interface TableRowNode extends Block<'tablerow'> {
  readonly height?: number
}

export interface TableCellNode extends Block<'tablecell'> {
  /** Bit sum: 1 makes the cell the header of its column, 2 the header of its row. */
  readonly headerState: number
  readonly colSpan: number
  readonly rowSpan: number
  readonly width?: number
  readonly backgroundColor: string | null
  readonly verticalAlign?: 'middle' | 'bottom'
}

export interface TextNode extends Node<'text' | 'code-highlight'> {
  readonly text: string
  /** Bit sum of `TEXT_FORMATS`. */
  readonly format: number
  readonly detail: number
  readonly mode: 'normal' | 'token' | 'segmented'
  readonly style: string
}

export interface TabNode extends Node<'tab'> {
  readonly text: '\t'
  readonly format: number
  readonly detail: number
  readonly mode: 'normal'
  readonly style: string
}

export type LineBreakNode = Node<'linebreak'>

export interface ImageNode extends Node<'image'> {
  /** A data URL, `item:` with the id of a file item, or the path of a stored copy; empty when it was anything else. */
  readonly src: string
  readonly altText: string
  /** In px; 0 when unknown. */
  readonly width: number
  readonly height: number
  readonly maxWidth: number
}

export type NoteNode =
  | RootNode
  | ParagraphNode
  | HeadingNode
  | QuoteNode
  | ListNode
  | ListItemNode
  | CodeNode
  | LinkNode
  | MarkNode
  | TableNode
  | TableRowNode
  | TableCellNode
  | TextNode
  | TabNode
  | LineBreakNode
  | ImageNode

export type NoteType = NoteNode['type']

export const TEXT_FORMATS = {
  bold: 1,
  italic: 2,
  strikethrough: 4,
  underline: 8,
  code: 16,
  subscript: 32,
  superscript: 64,
  highlight: 128,
} as const

export const HEADS_COLUMN = 1
export const HEADS_ROW = 2

/** Width in px of a cell that states none. */
export const DEFAULT_CELL_WIDTH = 75
/** Greatest width in px of a picture that states none. */
export const DEFAULT_IMAGE_WIDTH = 1000
/** One step of indentation, in px. */
export const INDENT_PX = 40
