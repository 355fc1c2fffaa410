import { plural, t } from '@lingui/core/macro'
import type { Ground } from '../transfer/file-row'
import css from './batch-files.module.css'

/** Files that a closed list shows. */
export const SHOWN_CLOSED = 3

/** Opens and closes the list with this id. */
export function FoldButton(props: {
  list: string
  count: number
  isOpen: boolean
  onToggle: () => void
  on: Ground
  /** What it says while the list is closed; without it, that all files can be shown. */
  more?: string
}) {
  const { list, count, isOpen, onToggle, on, more = plural(count, { other: 'Show all #' }) } = props
  return (
    <button
      type="button"
      className={css.fold}
      data-on={on}
      aria-expanded={isOpen}
      aria-controls={list}
      onClick={onToggle}
    >
      {isOpen ? t`Show less` : more}
    </button>
  )
}
