/**
 * Fixes the roles of check lists: the editor makes their items checkboxes, which a list may not contain, but a group
 * may.
 */
import { ListNode } from '@lexical/list'
import type { LexicalEditor } from 'lexical'

export function registerCheckListRoles(editor: LexicalEditor): () => void {
  return editor.registerMutationListener(ListNode, (changes) => {
    for (const key of changes.keys()) setRoles(editor.getElementByKey(key))
  })
}

function setRoles(list: HTMLElement | null): void {
  if (!list) return
  const isCheckList = list.querySelector(':scope > [role="checkbox"]') !== null
  if (isCheckList) list.setAttribute('role', 'group')
  else list.removeAttribute('role')
  // An item that only holds a nested list is not a checkbox.
  for (const item of list.querySelectorAll(':scope > li:not([role="checkbox"])')) {
    if (isCheckList) item.setAttribute('role', 'none')
    else item.removeAttribute('role')
  }
}
