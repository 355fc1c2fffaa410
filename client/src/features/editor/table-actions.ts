/** The actions on the table at the caret. */
import {
  $deleteTableColumnAtSelection,
  $deleteTableRowAtSelection,
  $getTableCellNodeFromLexicalNode,
  $getTableCellNodeRect,
  $getTableNodeFromLexicalNodeOrThrow,
  $insertTableColumnAtNode,
  $insertTableRowAtNode,
  $isTableCellNode,
  $isTableSelection,
  $mergeCells,
  $setTableColumnIsHeader,
  $setTableRowIsHeader,
  $unmergeCell,
  TableCellHeaderStates,
  type TableCellNode,
  type TableNode,
} from '@lexical/table'
import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { $getSelection, $isRangeSelection, type LexicalEditor } from 'lexical'
import { $columnOf, $columnWidths, widened } from './table-widths'

const WIDTH_STEP_PX = 20

export interface TableAction {
  readonly label: MessageDescriptor
  /** Called within an update of the editor. */
  readonly $run: (editor: LexicalEditor) => void
}

const INSERT: readonly TableAction[] = [
  { label: msg`Insert row above`, $run: () => $insertRow(false) },
  { label: msg`Insert row below`, $run: () => $insertRow(true) },
  { label: msg`Insert column before`, $run: () => $insertColumn(false) },
  { label: msg`Insert column after`, $run: () => $insertColumn(true) },
]

const LOOK: readonly TableAction[] = [
  { label: msg`Header row`, $run: () => $toggleHeader('row') },
  { label: msg`Header column`, $run: () => $toggleHeader('column') },
  {
    label: msg`Striped rows`,
    $run: () => $withTable((table) => table.setRowStriping(!table.getRowStriping())),
  },
  {
    label: msg`Freeze first row`,
    $run: () => $withTable((table) => table.setFrozenRows(table.getFrozenRows() ? 0 : 1)),
  },
  {
    label: msg`Freeze first column`,
    $run: () => $withTable((table) => table.setFrozenColumns(table.getFrozenColumns() ? 0 : 1)),
  },
]

const CELLS: readonly TableAction[] = [
  { label: msg`Merge cells`, $run: $merge },
  { label: msg`Split cell`, $run: () => $unmergeCell() },
  { label: msg`Wider column`, $run: (editor) => $widen(editor, WIDTH_STEP_PX) },
  { label: msg`Narrower column`, $run: (editor) => $widen(editor, -WIDTH_STEP_PX) },
  { label: msg`Align top`, $run: () => $eachCell((cell) => cell.setVerticalAlign('')) },
  { label: msg`Align middle`, $run: () => $eachCell((cell) => cell.setVerticalAlign('middle')) },
  { label: msg`Align bottom`, $run: () => $eachCell((cell) => cell.setVerticalAlign('bottom')) },
]

const DELETE: readonly TableAction[] = [
  { label: msg`Delete row`, $run: () => $deleteTableRowAtSelection() },
  { label: msg`Delete column`, $run: () => $deleteTableColumnAtSelection() },
  { label: msg`Delete table`, $run: () => $withTable((table) => table.remove()) },
]

/** Two columns of groups. */
export const TABLE_ACTIONS: readonly (readonly (readonly TableAction[])[])[] = [
  [INSERT, CELLS],
  [LOOK, DELETE],
]

export function $setCellColour(colour: string | null): void {
  $eachCell((cell) => cell.setBackgroundColor(colour))
}

/** Returns the selected cells, or the one with the caret. */
export function $selectedCells(): readonly TableCellNode[] {
  const selection = $getSelection()
  if ($isTableSelection(selection)) return selection.getNodes().filter($isTableCellNode)
  const cell = $isRangeSelection(selection) && $getTableCellNodeFromLexicalNode(selection.anchor.getNode())
  return cell ? [cell] : []
}

function $eachCell(change: (cell: TableCellNode) => void): void {
  for (const cell of $selectedCells()) change(cell)
}

function $withTable(change: (table: TableNode) => void): void {
  const [cell] = $selectedCells()
  if (cell) change($getTableNodeFromLexicalNodeOrThrow(cell))
}

/** Inserts a row beside the selected cells. The caret stays. */
function $insertRow(after: boolean): void {
  const cell = $selectedCells().at(after ? -1 : 0)
  if (cell) $insertTableRowAtNode(cell, after)
}

function $insertColumn(after: boolean): void {
  const cell = $selectedCells().at(after ? -1 : 0)
  if (cell) $insertTableColumnAtNode(cell, after, false)
}

function $toggleHeader(which: 'row' | 'column'): void {
  const [cell] = $selectedCells()
  const rect = cell && $getTableCellNodeRect(cell)
  if (!cell || !rect) return
  const table = $getTableNodeFromLexicalNodeOrThrow(cell)
  const state = which === 'row' ? TableCellHeaderStates.ROW : TableCellHeaderStates.COLUMN
  const isHeader = (cell.getHeaderStyles() & state) !== 0
  if (which === 'row') $setTableRowIsHeader(table, rect.rowIndex, !isHeader)
  else $setTableColumnIsHeader(table, rect.columnIndex, !isHeader)
}

function $merge(): void {
  const cells = $selectedCells()
  if (cells.length > 1) $mergeCells([...cells])
}

function $widen(editor: LexicalEditor, by: number): void {
  const [cell] = $selectedCells()
  const place = cell && $columnOf(cell)
  if (place) place.table.setColWidths(widened($columnWidths(editor, place.table), place.column, by))
}
