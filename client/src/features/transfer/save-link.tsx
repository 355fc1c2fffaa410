import { t } from '@lingui/core/macro'
import type { MouseEvent, ReactNode } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './ask-buttons.module.css'
import type { Ground } from './file-row'
import { canSave, type FileRow, type FileView } from './file-view'

/** Whether this row is the whole file, so that it can be saved. */
export function isSavable(row: FileRow, view: FileView): boolean {
  return row.status === 'done' && row.device === null && canSave(view)
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

/** The main action on a file that was received. */
export function SaveLink({
  id,
  url,
  name,
  look,
}: {
  id: ItemId
  /** Null for a file that comes once it is to be saved. */
  url: string | null
  name: string
  look: 'note' | 'page'
}) {
  const isSaving = useIsSaving(id)
  return (
    <SaveControl id={id} url={url} name={name} className={cx(css.button, css[look], css.main, css.link)}>
      {isSaving ? t`Saving...` : t`Save`}
    </SaveControl>
  )
}

/** A download by the browser of what is here, and a button for a file that comes once it is to be saved. */
export function SaveControl({
  id,
  url,
  name,
  children,
  ...rest
}: {
  id: ItemId
  url: string | null
  name: string
  children: ReactNode
  className: string | undefined
  title?: string
  'aria-label'?: string | undefined
  'data-on'?: Ground
}) {
  const { actions } = useApp()
  const isSaving = useIsSaving(id)
  const saveHere = useSaveHere(id)
  const props = { ...rest, 'aria-disabled': isSaving || undefined }
  if (url === null)
    return (
      <button type="button" {...props} onClick={() => void actions.saveHere(id)}>
        {children}
      </button>
    )
  return (
    <a href={url} download={name} {...props} onClick={saveHere}>
      {children}
    </a>
  )
}
