import { t } from '@lingui/core/macro'
import { cx } from '../../ui/cx'
import css from './ask-buttons.module.css'
import type { FileRow, FileView } from './file-view'

/** Whether this row is the whole file on this device, so that it can be saved. */
export function isSavable(row: FileRow, view: FileView): boolean {
  return row.status === 'done' && row.device === null && view.url !== null
}

/** The main action on a file that was received: a download by the browser, from this device's own disk. */
export function SaveLink({ url, name, look }: { url: string; name: string; look: 'note' | 'page' }) {
  return (
    <a href={url} download={name} className={cx(css.button, css[look], css.main, css.link)}>
      {t`Save`}
    </a>
  )
}
