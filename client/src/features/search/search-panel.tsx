import { t } from '@lingui/core/macro'
import ArrowDown from 'lucide-react/icons/arrow-down'
import ArrowUp from 'lucide-react/icons/arrow-up'
import X from 'lucide-react/icons/x'
import { type RefObject, useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { cardsOf } from '../../stores/cards'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import css from './canvas-search.module.css'
import { SearchCount, SearchField, SearchKinds } from './search-form'

/** The open search of the canvas. Its field has the focus from the start. */
export function SearchPanel({
  ref,
  onClose,
}: {
  ref: RefObject<HTMLInputElement | null>
  onClose: () => void
}) {
  useEffect(() => ref.current?.focus(), [ref])
  const { at, step, isEmpty } = useSteps()
  return (
    <div className={css.panel}>
      <div className={css.line}>
        <SearchField ref={ref} onLeave={onClose} onStep={step} />
        <IconButton icon={X} label={t`Close the search`} onClick={onClose} />
      </div>
      <SearchKinds />
      <div className={css.foot}>
        <SearchCount at={at} />
        <IconButton
          icon={ArrowUp}
          label={t`Previous match`}
          look="small"
          iconSize={16}
          disabled={isEmpty}
          onClick={() => step(-1)}
        />
        <IconButton
          icon={ArrowDown}
          label={t`Next match`}
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
