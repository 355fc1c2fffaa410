import type { ChangeEvent, RefObject } from 'react'
import { useHouse } from '../actions'

export interface FileInputProps {
  /** The accessible name, where no visible label holds the input. */
  label?: string
  id?: string
  accept?: string
  folder?: boolean
  /** Out of the way of the Tab key, when a menu opens it. */
  reachedByMenu?: boolean
  ref?: RefObject<HTMLInputElement | null>
}

/** A plain file input; what it picks is shared. */
export function FileInput({ label, id, accept, folder = false, reachedByMenu = false, ref }: FileInputProps) {
  const { actions } = useHouse()
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.currentTarget.files ?? [])]
    // Picking the same file again must count as a change.
    event.currentTarget.value = ''
    if (files.length > 0) actions.shareFiles(files)
  }
  return (
    <input
      ref={ref}
      id={id}
      type="file"
      multiple
      className="visually-hidden"
      aria-label={label}
      accept={accept}
      tabIndex={reachedByMenu ? -1 : undefined}
      onChange={onChange}
      {...(folder ? { webkitdirectory: '' } : {})}
    />
  )
}

/** Whether the browser can pick a folder. */
export const PICKS_FOLDERS = 'webkitdirectory' in HTMLInputElement.prototype
