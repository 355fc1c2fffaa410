import { t } from '@lingui/core/macro'
import type { MouseEvent } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './ask-buttons.module.css'
import type { FileRow, FileView } from './file-view'

/** Whether this row is the whole file on this device, so that it can be saved. */
export function isSavable(row: FileRow, view: FileView): boolean {
  return row.status === 'done' && row.device === null && view.url !== null
}

/** Returns the handler of a download link, which saves into the kept folder where there is one. */
export function useSaveHere(id: ItemId): ((event: MouseEvent) => void) | undefined {
  const { stores, actions } = useApp()
  const isKept = useStore(stores.savePlace, ({ status }) => status === 'kept')
  if (!isKept) return undefined
  return (event) => {
    event.preventDefault()
    void actions.saveHere(id)
  }
}

/** Whether a file is being saved into a folder of this device. */
export function useIsSaving(id: ItemId): boolean {
  return useStore(useApp().stores.saves, ({ saves }) => saves[id] !== undefined)
}

/** The main action on a file that was received: a download by the browser, from this device's own disk. */
export function SaveLink({
  id,
  url,
  name,
  look,
}: {
  id: ItemId
  url: string
  name: string
  look: 'note' | 'page'
}) {
  const isSaving = useIsSaving(id)
  return (
    <a
      href={url}
      download={name}
      className={cx(css.button, css[look], css.main, css.link)}
      aria-disabled={isSaving || undefined}
      onClick={useSaveHere(id)}
    >
      {isSaving ? t`Saving...` : t`Save`}
    </a>
  )
}
