import { useEffect, useEffectEvent } from 'react'

/** Calls `onSlash` when `/` is pressed anywhere on the page, except in a field or under a dialog. */
export function useSlashKey(onSlash: () => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== '/' || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    const { target } = event
    if (target instanceof Element && target.closest('input, textarea, select, [contenteditable]')) return
    if (document.querySelector('dialog:modal')) return
    event.preventDefault()
    onSlash()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
