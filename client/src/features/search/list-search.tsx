import { t } from '@lingui/core/macro'
import X from 'lucide-react/icons/x'
import { useRef, useState } from 'react'
import { useStore } from 'zustand'
import { NO_SEARCH } from '../../stores/search'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { SearchCount, SearchField, SearchKinds } from './search-form'
import css from './search-form.module.css'
import { useSlashKey } from './slash-key'

/** With fewer items, all of them are seen at a glance. */
export const LEAST_ITEMS = 8

/** The search above a list, which then shows only what matches. The filters come with the first use. */
export function ListSearch() {
  const { search } = useApp().stores
  const field = useRef<HTMLInputElement>(null)
  const isOn = useStore(search, (state) => state.found !== null)
  const [isOpen, setIsOpen] = useState(false)
  useSlashKey(() => field.current?.focus())
  const clear = () => {
    search.setState(NO_SEARCH, true)
    field.current?.focus()
  }
  // The keyboard of a phone closes, so that the list can be seen.
  const leave = () => {
    if (!isOn) setIsOpen(false)
    field.current?.blur()
  }
  return (
    <search className={css.list}>
      <SearchField
        ref={field}
        end={
          isOn && (
            <IconButton icon={X} label={t`Clear the search`} look="small" iconSize={16} onClick={clear} />
          )
        }
        onFocus={() => setIsOpen(true)}
        onLeave={leave}
        onStep={leave}
      />
      {(isOpen || isOn) && <SearchKinds />}
      <SearchCount />
    </search>
  )
}

/** Shown in place of a list in which nothing matches. */
export function NothingFound() {
  const { search } = useApp().stores
  const text = useStore(search, (state) => state.text.trim())
  return (
    <div className={css.nothing}>
      <p>{text === '' ? t`There is nothing of this kind.` : t`Nothing matches “${text}”.`}</p>
      <Button onClick={() => search.setState(NO_SEARCH, true)}>{t`Show all`}</Button>
    </div>
  )
}
