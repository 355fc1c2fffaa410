import { type KeyboardEvent, useEffect, useRef } from 'react'
import { cx } from './cx'
import { type Glyph, Icon } from './icon'
import css from './menu.module.css'

export interface MenuItem {
  label: string
  hint?: string
  icon: Glyph
  /** A file that the command downloads. */
  download?: { readonly url: string; readonly name: string }
  onSelect: () => void
}

/** A menu of commands with arrow keys. The component that opens it also closes it (`useDismiss`). */
export function Menu({
  label,
  items,
  roomy = false,
  heading = false,
}: {
  label: string
  items: readonly MenuItem[]
  roomy?: boolean
  heading?: boolean
}) {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => ref.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus(), [])
  return (
    <div
      ref={ref}
      className={cx(css.menu, roomy && css.roomy)}
      role="menu"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={walk}
    >
      {heading && (
        <p className={css.heading} aria-hidden="true">
          {label}
        </p>
      )}
      {items.map((item) => (
        <Entry key={item.label} item={item} iconSize={roomy ? 20 : 18} />
      ))}
    </div>
  )
}

function Entry({ item, iconSize }: { item: MenuItem; iconSize: number }) {
  const { label, hint, icon, download, onSelect } = item
  const content = (
    <>
      <span className={css.icon}>
        <Icon of={icon} size={iconSize} />
      </span>
      <span>
        {label}
        {hint && <small>{hint}</small>}
      </span>
    </>
  )
  const shared = { role: 'menuitem', 'aria-label': label, className: css.item, onClick: onSelect }
  if (!download) {
    return (
      <button type="button" {...shared}>
        {content}
      </button>
    )
  }
  return (
    <a href={download.url} download={download.name} {...shared}>
      {content}
    </a>
  )
}

const STEPS: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_at, count) => count - 1,
}

function walk(event: KeyboardEvent<HTMLDivElement>) {
  const step = STEPS[event.key]
  if (!step) return
  event.preventDefault()
  const items = [...event.currentTarget.querySelectorAll<HTMLElement>('[role=menuitem]')]
  items[step(items.indexOf(document.activeElement as HTMLElement), items.length)]?.focus()
}
