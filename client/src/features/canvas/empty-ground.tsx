import { useEffect } from 'react'
import { useApp } from '../actions'
import css from './ground.module.css'

/** Looks as the canvas does without notes, and stands in for it until its code is here. */
export function EmptyGround() {
  useHelpKey()
  return (
    <div className={css.ground}>
      <div className={css.back}>
        <div className={css.grid} />
      </div>
    </div>
  )
}

const FIELDS = 'input, textarea, select, [contenteditable="true"]'

/** Of the keys of the canvas only the one for their list has a meaning already. It would be lost while the others load. */
function useHelpKey() {
  const { beamDialog } = useApp().stores
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const { key, target, defaultPrevented } = event
      const isField = target instanceof Element && target.closest(FIELDS) !== null
      if (key !== '?' || defaultPrevented || isField || document.querySelector('dialog:modal')) return
      event.preventDefault()
      beamDialog.setState({ kind: 'keys' }, true)
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [beamDialog])
}
