import { type KeyboardEvent, useId, useRef } from 'react'
import { cx } from './cx'
import { forward } from './direction'
import css from './tabs.module.css'

export interface Tab<Key extends string> {
  readonly key: Key
  readonly label: string
  /** Shown also when 0; null while unknown. */
  readonly count: number | null
}

interface TabsProps<Key extends string> {
  label: string
  tabs: readonly Tab<Key>[]
  chosen: Key
  onChoose: (key: Key) => void
  children: React.ReactNode
}

/** Tabs, one of them shown. The arrow keys move between them. */
export function Tabs<Key extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<Key>) {
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const walk = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.key === chosen)
    const next = tabs[nextTab(event.key, at, tabs.length) ?? at]
    if (!next || next.key === chosen) return
    event.preventDefault()
    onChoose(next.key)
    list.current?.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus()
  }
  return (
    <>
      <div ref={list} role="tablist" aria-label={label} className={css.tabs}>
        {tabs.map(({ key, label: name, count }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            data-tab={key}
            aria-selected={key === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={key === chosen ? 0 : -1}
            className={cx(css.tab, key === chosen && css.chosen)}
            onClick={() => onChoose(key)}
            onKeyDown={walk}
          >
            {name}
            {count !== null && <span className={css.count}>{count}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {children}
      </div>
    </>
  )
}

function nextTab(key: string, at: number, count: number): number | null {
  switch (key) {
    case 'ArrowRight':
      return (at + forward() + count) % count
    case 'ArrowLeft':
      return (at - forward() + count) % count
    case 'Home':
      return 0
    case 'End':
      return count - 1
    default:
      return null
  }
}
