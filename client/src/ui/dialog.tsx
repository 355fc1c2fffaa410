import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react'
import { cx } from './cx'
import css from './dialog.module.css'

interface DialogProps {
  title: string
  sub?: string
  /** On phones: a sheet from below, or the upper third, where a keyboard leaves it in view. */
  place?: 'sheet' | 'upper'
  onClose: () => void
  children: ReactNode
}

/** A modal dialog, open for as long as it is rendered. Esc and a click beside it close it. */
export function Dialog({ title, sub, place = 'sheet', onClose, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useLayoutEffect(() => {
    const dialog = ref.current
    dialog?.showModal()
    // Closing before the element goes gives the focus back to where it came from.
    return () => dialog?.close()
  }, [])
  useClickBeside(ref, onClose)
  return (
    <dialog
      ref={ref}
      className={cx(css.dialog, css[place])}
      aria-labelledby={heading}
      onClose={() => {
        // The news of an earlier close comes late; only a dialog that is closed now counts.
        if (ref.current && !ref.current.open) onClose()
      }}
    >
      <h2 id={heading} className={css.title}>
        {title}
      </h2>
      {sub && <p className={css.sub}>{sub}</p>}
      {children}
    </dialog>
  )
}

function useClickBeside(ref: React.RefObject<HTMLDialogElement | null>, onClose: () => void) {
  useEffect(() => {
    const dialog = ref.current
    if (!dialog) return
    // A press on the backdrop has the dialog itself as its target, outside of its box.
    const beside = (event: PointerEvent) => {
      const box = dialog.getBoundingClientRect()
      const inside =
        event.clientX >= box.left &&
        event.clientX <= box.right &&
        event.clientY >= box.top &&
        event.clientY <= box.bottom
      if (event.target === dialog && !inside) onClose()
    }
    dialog.addEventListener('pointerdown', beside)
    return () => dialog.removeEventListener('pointerdown', beside)
  }, [ref, onClose])
}
