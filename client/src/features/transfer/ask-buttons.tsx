import { t } from '@lingui/core/macro'
import { cx } from '../../ui/cx'
import css from './ask-buttons.module.css'
import type { FileAction } from './file-view'

/** Receive, and where the browser has a picker also Save as… */
export function AskButtons({
  actions,
  look,
  onAct,
}: {
  actions: readonly FileAction[]
  look: 'note' | 'page'
  onAct: (action: FileAction) => void
}) {
  return (
    <>
      {actions.includes('save-as') && (
        <button type="button" className={cx(css.button, css[look])} onClick={() => onAct('save-as')}>
          {t`Save as…`}
        </button>
      )}
      {actions.includes('receive') && (
        <button
          type="button"
          className={cx(css.button, css[look], css.main)}
          onClick={() => onAct('receive')}
        >
          {t`Receive`}
        </button>
      )}
    </>
  )
}
