import { useLexicalComposerContext } from '@lexical/react/LexicalComposerContext'
import { $getNearestNodeFromDOMNode, $getNodeByKey, type LexicalEditor, type NodeKey } from 'lexical'
import { useEffect } from 'react'
import { forward } from '../../ui/direction'
import { $columnOf, $columnWidths, $isTable, widened } from './table-widths'

/** Distance in px from a cell's last edge at which the pointer grabs it. */
const EDGE_PX = 6

interface Drag {
  table: NodeKey
  column: number
  widths: readonly number[]
  x: number
  /** 1 where the columns go to the right, -1 where they go to the left. */
  forward: 1 | -1
}

/** Resizes columns by dragging the last edge of a cell. */
export function TableResizer() {
  const [editor] = useLexicalComposerContext()
  useEffect(() => editor.registerRootListener((root) => (root ? wire(editor, root) : undefined)), [editor])
  return null
}

function wire(editor: LexicalEditor, root: HTMLElement): () => void {
  let drag: Drag | null = null
  const move = (event: PointerEvent) => {
    if (drag) setWidth(editor, drag, drag.forward * (event.clientX - drag.x))
    else root.style.cursor = edgeCell(event) ? 'col-resize' : ''
  }
  const down = (event: PointerEvent) => {
    const cell = edgeCell(event)
    drag = cell && begin(editor, cell, event.clientX)
    if (!drag) return
    event.preventDefault()
    event.stopPropagation()
    root.setPointerCapture(event.pointerId)
  }
  const end = () => {
    drag = null
  }
  const wired = { pointermove: move, pointerup: end, pointercancel: end, lostpointercapture: end }
  for (const [type, listener] of Object.entries(wired)) root.addEventListener(type as 'pointermove', listener)
  // In the capture phase, before the table begins a selection.
  root.addEventListener('pointerdown', down, { capture: true })
  const keepSelection = (event: MouseEvent) => {
    if (drag) event.stopImmediatePropagation()
  }
  root.addEventListener('mousedown', keepSelection, { capture: true })
  return () => {
    for (const [type, listener] of Object.entries(wired))
      root.removeEventListener(type as 'pointermove', listener)
    root.removeEventListener('pointerdown', down, { capture: true })
    root.removeEventListener('mousedown', keepSelection, { capture: true })
  }
}

/** Returns the cell whose last edge is under the pointer. */
function edgeCell({ target, clientX }: PointerEvent): HTMLElement | null {
  const cell = target instanceof Element ? target.closest<HTMLElement>('td, th') : null
  if (!cell) return null
  const { left, right } = cell.getBoundingClientRect()
  const inside = forward(cell) === 1 ? right - clientX : clientX - left
  return inside <= EDGE_PX ? cell : null
}

function begin(editor: LexicalEditor, cell: HTMLElement, x: number): Drag | null {
  return editor.read(() => {
    const place = $columnOf($getNearestNodeFromDOMNode(cell))
    if (!place) return null
    return {
      table: place.table.getKey(),
      column: place.column,
      widths: $columnWidths(editor, place.table),
      x,
      forward: forward(cell),
    }
  })
}

function setWidth(editor: LexicalEditor, { table, column, widths }: Drag, dx: number): void {
  editor.update(() => {
    const node = $getNodeByKey(table)
    if ($isTable(node)) node.setColWidths(widened(widths, column, dx))
  })
}
