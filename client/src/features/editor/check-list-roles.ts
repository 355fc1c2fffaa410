/** The editor makes items of a check list checkboxes; a list may hold none, so the list becomes a group of them. */
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
  // What only holds a nested list is no item among the checkboxes.
  for (const item of list.querySelectorAll(':scope > li:not([role="checkbox"])')) {
    if (isCheckList) item.setAttribute('role', 'none')
    else item.removeAttribute('role')
  }
}
