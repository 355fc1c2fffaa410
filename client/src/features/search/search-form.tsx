import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import Search from 'lucide-react/icons/search'
import type { KeyboardEvent, ReactNode, RefObject } from 'react'
import { useStore } from 'zustand'
import { cardsOf } from '../../stores/cards'
import { NO_SEARCH, type SearchKind } from '../../stores/search'
import { isComposing } from '../../ui/composing'
import { cx } from '../../ui/cx'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './search-form.module.css'

interface SearchFieldProps {
  ref: RefObject<HTMLInputElement | null>
  /** Shown at the end of the field. */
  end?: ReactNode
  onFocus?: () => void
  /** Called on Escape when there is nothing to clear. */
  onLeave: () => void
  /** Called on Enter, with 1, and on Shift+Enter. */
  onStep: (by: 1 | -1) => void
}

/** The field for the words. Escape clears it first. */
export function SearchField({ ref, end, onFocus, onLeave, onStep }: SearchFieldProps) {
  const { search } = useApp().stores
  const text = useStore(search, (state) => state.text)
  const onEscape = () => {
    const { found } = search.getState()
    if (found !== null || text !== '') search.setState(NO_SEARCH, true)
    else onLeave()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent)) return
    if (event.key !== 'Enter' && event.key !== 'Escape') return
    event.preventDefault()
    if (event.key === 'Escape') onEscape()
    else onStep(event.shiftKey ? -1 : 1)
  }
  return (
    <div className={css.box}>
      <Icon of={Search} size={18} />
      <input
        ref={ref}
        type="search"
        className={css.field}
        aria-label={t`Search items`}
        placeholder={t`Search`}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        value={text}
        onFocus={onFocus}
        onChange={(event) => search.setState({ text: event.currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      {end}
    </div>
  )
}

const KINDS: readonly (readonly [SearchKind, MessageDescriptor])[] = [
  ['text', msg`Text`],
  ['link', msg`Links`],
  ['picture', msg`Pictures`],
  ['file', msg`Files`],
  ['note', msg`Notes`],
]

/** The filters by kind. A second press takes a filter away. */
export function SearchKinds() {
  const { search } = useApp().stores
  const chosen = useStore(search, (state) => state.kind)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={t`Kinds`} className={css.kinds}>
      {KINDS.map(([kind, label]) => (
        <button
          key={kind}
          type="button"
          className={cx(css.kind, kind === chosen && css.chosen)}
          aria-pressed={kind === chosen}
          onClick={() => search.setState({ kind: kind === chosen ? null : kind })}
        >
          {i18n._(label)}
        </button>
      ))}
    </div>
  )
}

/** Says how many items match, also to screen readers. */
export function SearchCount({ at }: { at?: number | undefined }) {
  const { stores } = useApp()
  const found = useStore(stores.search, (state) => state.found)
  const count = useStore(stores.items, (state) => cardsOf(state.items).length)
  const text = found === null ? '' : countText(found.size, count, at)
  return (
    <p className={css.count} role="status">
      {text}
    </p>
  )
}

function countText(found: number, all: number, at: number | undefined): string {
  if (found === 0) return plural(all, { other: `None of ${all} items matches` })
  if (at !== undefined) {
    const number = at + 1
    return plural(found, { other: `${number} of ${found} matches` })
  }
  return plural(found, {
    one: `${found} of ${all} items matches`,
    other: `${found} of ${all} items match`,
  })
}
