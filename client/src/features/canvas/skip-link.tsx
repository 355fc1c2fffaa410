import { t } from '@lingui/core/macro'
import { useHasItems } from '../session/beam'
import css from './skip-link.module.css'

/** The id of the element that hands the focus on to the notes. */
export const NOTES = 'notes'

/** The first stop of Tab: leads past the bars to the notes. It is visible while it has the focus. */
export function SkipLink() {
  if (!useHasItems()) return null
  return (
    <a
      className={css.skip}
      href={`#${NOTES}`}
      onClick={(event) => {
        event.preventDefault()
        document.getElementById(NOTES)?.focus()
      }}
    >
      {t`Skip to the notes`}
    </a>
  )
}
