import { type ReactNode, type RefObject, useId, useLayoutEffect, useRef, useState } from 'react'
import { cx } from '../../ui/cx'
import { forward } from '../../ui/direction'
import { type Glyph, Icon } from '../../ui/icon'
import css from './popover.module.css'

interface PopoverProps {
  icon: Glyph
  /** The accessible name of the button and of the panel. */
  label: string
  pressed?: boolean
  children: (close: () => void) => ReactNode
}

const GAP_PX = 8
const MARGIN_PX = 8

/** A button with a panel that floats above everything. Esc, a press outside or a choice in it closes it. */
export function Popover({ icon, label, pressed, children }: PopoverProps) {
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const panel = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const close = () => panel.current?.hidePopover()
  return (
    <>
      <button
        ref={button}
        type="button"
        className={cx(css.button, pressed && css.pressed)}
        aria-label={label}
        title={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        popoverTarget={id}
        // Keeps the selection of the text.
        onMouseDown={(event) => event.preventDefault()}
      >
        <Icon of={icon} size={17} />
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        role="dialog"
        aria-label={label}
        className={css.panel}
        // Esc closes the panel and not the page around it.
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.stopPropagation()
        }}
        onToggle={(event) => setOpen(event.newState === 'open')}
      >
        {open && <Placed panel={panel} by={button} content={children(close)} />}
      </div>
    </>
  )
}

/** The panel, which stays beside the button while its size changes. */
function Placed({
  panel,
  by,
  content,
}: {
  panel: RefObject<HTMLElement | null>
  by: RefObject<HTMLElement | null>
  content: ReactNode
}) {
  useLayoutEffect(() => {
    if (!panel.current || !by.current) return
    const [element, button] = [panel.current, by.current]
    const observer = new ResizeObserver(() => placeBy(element, button))
    observer.observe(element)
    element.querySelector<HTMLElement>('input, button, select')?.focus()
    return () => observer.disconnect()
  }, [panel, by])
  return content
}

/** Places the panel below the button, or above it when there is no room, within the window. */
function placeBy(panel: HTMLElement, button: HTMLElement): void {
  const from = button.getBoundingClientRect()
  const { width, height } = panel.getBoundingClientRect()
  const below = from.bottom + GAP_PX
  const fits = below + height <= window.innerHeight - MARGIN_PX
  const start = forward() === 1 ? from.left : from.right - width
  const left = Math.min(start, window.innerWidth - width - MARGIN_PX)
  panel.style.left = `${Math.max(MARGIN_PX, left)}px`
  panel.style.top = `${fits ? below : Math.max(MARGIN_PX, from.top - GAP_PX - height)}px`
}
