/** The state of the toolbar, read from the selection, and the actions of its buttons. */
import { $createCodeNode, $isCodeNode } from '@lexical/code'
import { $isLinkNode } from '@lexical/link'
import { $isListItemNode, $isListNode } from '@lexical/list'
import { $createHeadingNode, $createQuoteNode, $isHeadingNode, $isQuoteNode } from '@lexical/rich-text'
import { $getSelectionStyleValueForProperty, $patchStyleText, $setBlocksType } from '@lexical/selection'
import { $findTableNode, $isTableSelection } from '@lexical/table'
import {
  $createParagraphNode,
  $findMatchingParent,
  $getRoot,
  $getSelection,
  $isElementNode,
  $isRangeSelection,
  $isRootOrShadowRoot,
  type BaseSelection,
  type ElementFormatType,
  type ElementNode,
  type LexicalCommand,
  type LexicalEditor,
  type LexicalNode,
  type TextFormatType,
} from 'lexical'

export const FONT_SIZES = [10, 11, 12, 13, 14, 15, 16, 18, 20, 24, 28, 32] as const
export const DEFAULT_FONT_SIZE = 15

export type BlockType = 'paragraph' | 'h1' | 'h2' | 'h3' | 'quote' | 'code'
export type ListType = 'bullet' | 'number' | 'check'

export const FORMATS = ['bold', 'italic', 'underline', 'strikethrough', 'code', 'highlight'] as const

/** The state at the caret. */
export interface Tools {
  readonly formats: ReadonlySet<TextFormatType>
  readonly block: BlockType
  readonly list: ListType | null
  readonly fontSize: string
  readonly alignment: ElementFormatType
  /** The address of the link at the caret. */
  readonly link: string | null
  readonly inTable: boolean
}

export const NO_TOOLS: Tools = {
  formats: new Set(),
  block: 'paragraph',
  list: null,
  fontSize: String(DEFAULT_FONT_SIZE),
  alignment: '',
  link: null,
  inTable: false,
}

/** Reads the selection; null when there is none. */
export function $readTools(): Tools | null {
  const selection = $getSelection()
  if (!$isRangeSelection(selection) && !$isTableSelection(selection)) return null
  const node = selection.anchor.getNode()
  const list = $findMatchingParent(node, $isListNode)
  const link = $findMatchingParent(node, $isLinkNode)
  const size = $isRangeSelection(selection)
    ? $getSelectionStyleValueForProperty(selection, 'font-size', `${DEFAULT_FONT_SIZE}px`)
    : ''
  return {
    formats: new Set(FORMATS.filter((format) => selection.hasFormat(format))),
    block: blockType($blockOf(node)),
    list: list?.getListType() ?? null,
    fontSize: size.replace('px', ''),
    alignment: $blockOf(node)?.getFormatType() ?? '',
    link: link?.getURL() ?? null,
    inTable: $findTableNode(node) !== null,
  }
}

/** Returns the block that contains a node. Alignment and block type belong to it. */
function $blockOf(node: LexicalNode): ElementNode | null {
  return $findMatchingParent(
    node,
    (one): one is ElementNode =>
      $isElementNode(one) && !one.isInline() && ($isListItemNode(one) || isTopLevel(one)),
  )
}

function isTopLevel(node: LexicalNode): boolean {
  const parent = node.getParent()
  return parent !== null && $isRootOrShadowRoot(parent)
}

function blockType(block: ElementNode | null): BlockType {
  if ($isQuoteNode(block)) return 'quote'
  if ($isCodeNode(block)) return 'code'
  if (!$isHeadingNode(block)) return 'paragraph'
  const tag = block.getTag()
  return tag === 'h1' || tag === 'h2' ? tag : 'h3'
}

/** Dispatches a command at the caret, or at the end of the text when there was none. */
export function run<Payload>(
  editor: LexicalEditor,
  command: LexicalCommand<Payload>,
  payload: Payload,
): void {
  editor.update(() => {
    $caret()
    editor.dispatchCommand(command, payload)
  })
}

export function setBlockType(editor: LexicalEditor, type: BlockType): void {
  editor.update(() =>
    $setBlocksType($caret(), () => {
      if (type === 'paragraph') return $createParagraphNode()
      if (type === 'quote') return $createQuoteNode()
      return type === 'code' ? $createCodeNode() : $createHeadingNode(type)
    }),
  )
}

/** Sets styles on the selected text; null removes one. */
export function setStyle(editor: LexicalEditor, style: Record<string, string | null>): void {
  editor.update(() => {
    const selection = $caret()
    if ($isRangeSelection(selection) || $isTableSelection(selection)) $patchStyleText(selection, style)
  })
}

function $caret(): BaseSelection {
  return $getSelection() ?? $getRoot().selectEnd()
}
