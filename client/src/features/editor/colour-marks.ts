/** Passes the colours of texts and cells to the style sheet, which adapts them to both themes. */
import { TableCellNode } from '@lexical/table'
import { type LexicalEditor, mergeRegister, type NodeMutation, TextNode } from 'lexical'

const VARIABLES = { color: '--ink', 'background-color': '--ground' } as const

export function registerColourMarks(editor: LexicalEditor): () => void {
  const mark = (changes: ReadonlyMap<string, NodeMutation>) => {
    for (const key of changes.keys()) markElement(editor.getElementByKey(key))
  }
  return mergeRegister(
    editor.registerMutationListener(TextNode, mark),
    editor.registerMutationListener(TableCellNode, mark),
  )
}

function markElement(element: HTMLElement | null): void {
  if (!element) return
  for (const [property, variable] of Object.entries(VARIABLES)) {
    const colour = element.style.getPropertyValue(property)
    if (colour) element.style.setProperty(variable, colour)
    else element.style.removeProperty(variable)
  }
}
