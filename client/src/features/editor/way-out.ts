/** Lets the keyboard leave the text of a note, in which Tab indents. */
import { $isCodeNode } from '@lexical/code'
import { $findMatchingParent } from '@lexical/utils'
import {
  $getSelection,
  $isElementNode,
  $isRangeSelection,
  COMMAND_PRIORITY_LOW,
  KEY_TAB_COMMAND,
  type LexicalEditor,
  type LexicalNode,
} from 'lexical'

/** Shift+Tab outdents where there is an indent, and otherwise moves the focus back, as everywhere on the page. */
export function registerWayOut(editor: LexicalEditor): () => void {
  return editor.registerCommand(
    KEY_TAB_COMMAND,
    (event) => {
      const selection = $getSelection()
      if (!event.shiftKey || !$isRangeSelection(selection)) return false
      // Handled without `preventDefault`: the browser moves the focus.
      return !selection.getNodes().some($hasIndent)
    },
    COMMAND_PRIORITY_LOW,
  )
}

/** Code has its indents in its text. */
function $hasIndent(node: LexicalNode): boolean {
  const isIndented = (one: LexicalNode) => $isElementNode(one) && (one.getIndent() > 0 || $isCodeNode(one))
  return $findMatchingParent(node, isIndented) !== null
}
