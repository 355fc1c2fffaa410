import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import Search from 'lucide-react/icons/search'
import X from 'lucide-react/icons/x'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { cardsOf } from '../../stores/cards'
import { NO_SEARCH } from '../../stores/search'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import css from './canvas-search.module.css'
import { SearchCount, SearchField, SearchKinds } from './search-form'
import { useSlashKey } from './slash-key'

/** The search of the canvas: a button, then a panel. What does not match is dimmed; Enter goes from match to match. */
export function CanvasSearch() {
  const { search } = useApp().stores
  const [isOpen, setIsOpen] = useState(false)
  const opener = useRef<HTMLButtonElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useSlashKey(() => {
    setIsOpen(true)
    field.current?.focus()
  })
  const close = () => {
    search.setState(NO_SEARCH, true)
    setIsOpen(false)
  }
  useFocusBack(isOpen, opener, field)
  return (
    <search className={css.search}>
      {isOpen ? (
        <Panel field={field} onClose={close} />
      ) : (
        <IconButton
          ref={opener}
          icon={Search}
          label="Search items"
          aria-keyshortcuts="/"
          look="plain"
          className={css.opener}
          onClick={() => setIsOpen(true)}
        />
      )}
    </search>
  )
}

function Panel({ field, onClose }: { field: React.RefObject<HTMLInputElement | null>; onClose: () => void }) {
  const { at, step, isEmpty } = useSteps()
  return (
    <div className={css.panel}>
      <div className={css.line}>
        <SearchField ref={field} onLeave={onClose} onStep={step} />
        <IconButton icon={X} label="Close the search" onClick={onClose} />
      </div>
      <SearchKinds />
      <div className={css.foot}>
        <SearchCount at={at} />
        <IconButton
          icon={ArrowUp}
          label="Previous match"
          look="small"
          iconSize={16}
          disabled={isEmpty}
          onClick={() => step(-1)}
        />
        <IconButton
          icon={ArrowDown}
          label="Next match"
          look="small"
          iconSize={16}
          disabled={isEmpty}
          onClick={() => step(1)}
        />
      </div>
    </div>
  )
}

/** The way from match to match, the newest first. `at`: the match that is pointed out, counted from 0. */
function useSteps() {
  const { search, items, pointedOut } = useApp().stores
  const found = useStore(search, (state) => state.found)
  const [at, setAt] = useState<number | undefined>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: other matches are counted anew
  useEffect(() => setAt(undefined), [found])
  const step = (by: 1 | -1) => {
    if (!found || found.size === 0) return
    const ids = cardsOf(items.getState().items).flatMap(({ id }) => (found.has(id) ? [id] : []))
    const next = at === undefined ? 0 : (at + by + ids.length) % ids.length
    setAt(next)
    const id = ids.toReversed()[next]
    if (id) pointedOut.setState(({ times }) => ({ id, times: times + 1 }))
  }
  return { at, step, isEmpty: !found || found.size === 0 }
}

/** The field gets the focus when the panel opens, and the button when it closes. */
function useFocusBack(
  isOpen: boolean,
  opener: React.RefObject<HTMLElement | null>,
  field: React.RefObject<HTMLElement | null>,
) {
  const wasOpen = useRef(false)
  useEffect(() => {
    if (isOpen) field.current?.focus()
    else if (wasOpen.current) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen, opener, field])
}
