import { t } from '@lingui/core/macro'
import X from 'lucide-react/icons/x'
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react'
import { useBackCloses } from './back-closes'
import { cx } from './cx'
import css from './dialog.module.css'
import { useDragDown } from './drag-down'
import { IconButton } from './icon-button'
import { useModal } from './modal'

interface DialogProps {
  title: string
  sub?: string
  /** Position on phones: a sheet at the bottom, or the upper third, where a keyboard does not cover it. */
  place?: 'sheet' | 'upper'
  /** 440, 520 or 720 px, or the whole window for pictures and videos. */
  width?: 'normal' | 'wide' | 'large' | 'window'
  /** Shown before the title, or above it when the head is centred. */
  picture?: ReactNode
  look?: 'plain' | 'centred'
  /** Its head can be dragged down to close it. */
  drags?: boolean
  /** A close button in the corner, for dialogs without a Cancel. */
  cross?: boolean
  /** The dialog asks for confirmation: a press outside does not close it. */
  asks?: boolean
  onClose: () => void
  children: ReactNode
}

/** A modal dialog, open for as long as it is rendered. Esc, a press outside and the back button close it. */
export function Dialog(props: DialogProps) {
  const { title, sub, place = 'sheet', width = 'normal', look = 'plain', picture, onClose } = props
  const { children, cross = false, asks = false, drags = false } = props
  const ref = useRef<HTMLDialogElement>(null)
  const heading = useId()
  useModal(ref)
  useClickBeside(ref, !asks, onClose)
  useBackCloses(true, onClose)
  useDragDown(ref, drags ? onClose : undefined)
  return (
    <dialog
      ref={ref}
      role={asks ? 'alertdialog' : undefined}
      className={cx(css.dialog, css[place], css[width], css[look])}
      aria-labelledby={heading}
      onClose={() => {
        // The event of an earlier close may arrive late; it counts only when the dialog is closed now.
        if (ref.current && !ref.current.open) onClose()
      }}
    >
      <div className={cx(css.head, drags && css.grab)} data-grab={drags || undefined}>
        {picture}
        <div>
          <h2 id={heading} className={css.title} dir="auto">
            {title}
          </h2>
          {sub && <p className={css.sub}>{sub}</p>}
        </div>
      </div>
      {children}
      {cross && (
        <span className={css.cross}>
          <IconButton icon={X} label={t`Close`} onClick={onClose} />
        </span>
      )}
    </dialog>
  )
}

function useClickBeside(
  ref: React.RefObject<HTMLDialogElement | null>,
  active: boolean,
  onClose: () => void,
) {
  useEffect(() => {
    const dialog = ref.current
    if (!dialog || !active) return
    // The target of a press on the backdrop is the dialog, at a point outside of its box.
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
  }, [ref, active, onClose])
}

/** The buttons of a dialog, the main action last. On phones they share the width. */
export function DialogFoot(props: ComponentProps<'div'>) {
  return <div {...props} className={css.foot} />
}
