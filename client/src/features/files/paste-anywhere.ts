import { useEffect } from 'react'
import type { Actions, Screen } from '../actions'
import { hasFolders } from './dropped'
import { takeFiles } from './take-files'

/** Shares what is pasted by the keyboard, wherever the focus is, except in text fields. */
export function usePasteAnywhere(actions: Actions, screen: Screen, ready: boolean) {
  useEffect(() => {
    if (!ready) return
    const onPaste = (event: ClipboardEvent) => {
      const data = event.clipboardData
      if (!data || isTypedInto(event.target) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      sharePasted(data, actions, screen)
    }
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [actions, screen, ready])
}

/** Shares the files, folders or the text of a paste. */
export function sharePasted(data: DataTransfer, actions: Actions, screen: Screen): void {
  const files = [...data.files]
  if (hasFolders(data)) void takeFiles(data, actions)
  else if (files.length > 0 && !isRichText(data)) actions.shareFiles(files)
  else actions.pasteText(data.getData('text/plain'), screen, data.getData('text/html'))
}

function isTypedInto(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, [contenteditable]') !== null
}

/**
 * Whether a clipboard with a picture is meant as text, as from spreadsheets. A copied file has at most its name as
 * text.
 */
function isRichText(data: DataTransfer): boolean {
  return data.types.includes('text/plain') && data.types.includes('text/html')
}
