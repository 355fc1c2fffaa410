import { t } from '@lingui/core/macro'
import Search from 'lucide-react/icons/search'
import { Suspense, useEffect, useRef, useState } from 'react'
import { NO_SEARCH } from '../../stores/search'
import { IconButton } from '../../ui/icon-button'
import { lazyPart } from '../../ui/lazy-part'
import { useApp } from '../actions'
import css from './canvas-search.module.css'
import { useSlashKey } from './slash-key'

const SearchPanel = lazyPart(
  () => import('./search-panel'),
  (m) => m.SearchPanel,
)

/** The search of the canvas: a button, then a panel. What does not match is dimmed; Enter goes from match to match. */
export function CanvasSearch() {
  const { search } = useApp().stores
  // A search goes on while another page is shown.
  const [isOpen, setIsOpen] = useState(() => search.getState().found !== null)
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
  useFocusBack(isOpen, opener)
  return (
    <search className={css.search}>
      {isOpen ? (
        <Suspense>
          <SearchPanel ref={field} onClose={close} />
        </Suspense>
      ) : (
        <IconButton
          ref={opener}
          icon={Search}
          label={t`Search items`}
          aria-keyshortcuts="/"
          look="plain"
          className={css.opener}
          onClick={() => setIsOpen(true)}
        />
      )}
    </search>
  )
}

/** The button gets the focus when the panel closes. */
function useFocusBack(isOpen: boolean, opener: React.RefObject<HTMLElement | null>) {
  const wasOpen = useRef(false)
  useEffect(() => {
    if (!isOpen && wasOpen.current) opener.current?.focus()
    wasOpen.current = isOpen
  }, [isOpen, opener])
}
