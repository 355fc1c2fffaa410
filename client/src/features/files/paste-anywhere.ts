import { useEffect } from 'react'
import type { Actions, Screen } from '../actions'

/** Shares what is pasted with the keyboard, wherever the focus is, except where people type. */
export function usePasteAnywhere(actions: Actions, screen: Screen, ready: boolean) {
  useEffect(() => {
    if (!ready) return
    const onPaste = (event: ClipboardEvent) => {
      const data = event.clipboardData
      if (!data || isTypedInto(event.target) || document.querySelector('dialog[open]')) return
      event.preventDefault()
      const files = [...data.files]
      if (files.length > 0 && !isRichText(data)) actions.shareFiles(files)
      else actions.pasteText(data.getData('text/plain'), screen)
    }
    window.addEventListener('paste', onPaste)
    return () => window.removeEventListener('paste', onPaste)
  }, [actions, screen, ready])
}

function isTypedInto(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, [contenteditable]') !== null
}

/** Spreadsheets put a picture of the cells beside their text; the text is meant. A file brings its name at most. */
function isRichText(data: DataTransfer): boolean {
  return data.types.includes('text/plain') && data.types.includes('text/html')
}
