/** Reads pasted HTML as the content of a note, by the rules of the editor, without showing an editor. */
import { $generateNodesFromDOM } from '@lexical/html'
import { $getRoot, $insertNodes, createEditor } from 'lexical'
import type { NoteNode, RootNode } from '../../protocol/note-nodes'
import { readNoteState } from '../../protocol/note-state'
import { bodyText, nodesOf } from '../../protocol/rich-note'
import { NOTE_NODES } from './note-node-list'
import { registerStyleRule, textImport } from './paste-rules'

/** Returns the content; null when other devices could not read it. @throws what the editor throws */
export function noteOfHtml(html: string): RootNode | null {
  const editor = createEditor({
    nodes: NOTE_NODES,
    html: { import: textImport() },
    onError: (error) => {
      throw error
    },
  })
  // Without an element the editor would keep its changes for later.
  editor.setRootElement(document.createElement('div'))
  registerStyleRule(editor)
  editor.update(
    () => {
      const dom = new DOMParser().parseFromString(html, 'text/html')
      $getRoot().selectEnd()
      $insertNodes($generateNodesFromDOM(editor, dom))
    },
    { discrete: true },
  )
  return readNoteState(editor.getEditorState().toJSON())
}

/**
 * Returns pasted HTML as a note when it is mainly a table; null for anything else, for example a mail that is laid out
 * by a table of one cell.
 */
export function tableOfHtml(html: string): RootNode | null {
  const root = noteOfHtml(html)
  if (!root) return null
  const tables = root.children.filter(({ type }) => type === 'table')
  const cells = tables.flatMap((table) => [...nodesOf(table)].filter(({ type }) => type === 'tablecell'))
  if (cells.length < 2 || isNested(tables)) return null
  const inTables = bodyText({ ...root, children: tables }).length
  return inTables * 2 >= bodyText(root).length
    ? { ...root, children: root.children.filter(hasContent) }
    : null
}

/** Pages that are laid out by tables have tables in their cells. */
function isNested(tables: readonly NoteNode[]): boolean {
  return tables.some((table) => [...nodesOf(table)].filter(({ type }) => type === 'table').length > 1)
}

/** The editor begins with an empty paragraph, and ends with one behind a table. */
function hasContent(node: NoteNode): boolean {
  return node.type !== 'paragraph' || node.children.length > 0
}
