/** The widths of a table's columns. */
import {
  $getTableCellNodeFromLexicalNode,
  $getTableCellNodeRect,
  $getTableNodeFromLexicalNodeOrThrow,
  $isTableNode,
  type TableNode,
} from '@lexical/table'
import type { LexicalEditor, LexicalNode } from 'lexical'
import { DEFAULT_CELL_WIDTH } from '../../protocol/note-nodes'

export const NARROWEST_COLUMN_PX = 40

export const $isTable = $isTableNode

/** Returns the widths after one column changed by `by`, limited by the smallest width. */
export function widened(widths: readonly number[], column: number, by: number): number[] {
  return widths.map((width, index) =>
    index === column ? Math.max(NARROWEST_COLUMN_PX, Math.round(width + by)) : width,
  )
}

/** Returns the table of a node, and the column whose right edge is that of the node's cell. */
export function $columnOf(node: LexicalNode | null): { table: TableNode; column: number } | null {
  const cell = node && $getTableCellNodeFromLexicalNode(node)
  const rect = cell && $getTableCellNodeRect(cell)
  if (!cell || !rect) return null
  return { table: $getTableNodeFromLexicalNodeOrThrow(cell), column: rect.columnIndex + rect.colSpan - 1 }
}

/** Returns the current widths: those that were set, else those on the screen. */
export function $columnWidths(editor: LexicalEditor, table: TableNode): readonly number[] {
  const set = table.getColWidths()
  if (set && set.length === table.getColumnCount()) return set
  const row = editor.getElementByKey(table.getKey())?.querySelector('tr')
  const shown = [...(row?.children ?? [])].flatMap((cell) => {
    const { colSpan } = cell as HTMLTableCellElement
    const width = Math.round(cell.getBoundingClientRect().width / colSpan)
    return Array.from({ length: colSpan }, () => width)
  })
  return shown.length > 0 ? shown : Array.from({ length: table.getColumnCount() }, () => DEFAULT_CELL_WIDTH)
}
