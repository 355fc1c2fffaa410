import type { ChangeEvent, RefObject } from 'react'
import { useApp } from '../actions'
import { named } from './named'

export interface FileInputProps {
  /** The accessible name, where no visible label holds the input. */
  label?: string
  id?: string
  /** Takes pictures, videos and recordings only. */
  mediaOnly?: boolean
  folder?: boolean
  /** Out of the way of the Tab key, when a menu opens it. */
  reachedByMenu?: boolean
  ref?: RefObject<HTMLInputElement | null>
}

const MEDIA = ['image/', 'video/', 'audio/'] as const

/** A plain file input; what it picks is shared. */
export function FileInput(props: FileInputProps) {
  const { label, id, mediaOnly = false, folder = false, reachedByMenu = false, ref } = props
  const { actions } = useApp()
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.currentTarget.files ?? [])]
    // Picking the same file again must count as a change.
    event.currentTarget.value = ''
    // `accept` is advice to the browser: many pickers offer a way round it.
    const refused = mediaOnly ? files.filter((file) => !isMedia(file)) : []
    const taken = files.filter((file) => !refused.includes(file))
    if (taken.length > 0) actions.shareFiles(taken)
    if (refused.length > 0) actions.warn(refusedText(refused))
  }
  return (
    <input
      ref={ref}
      id={id}
      type="file"
      multiple
      className="visually-hidden"
      aria-label={label}
      accept={mediaOnly ? MEDIA.map((kind) => `${kind}*`).join(',') : undefined}
      tabIndex={reachedByMenu ? -1 : undefined}
      onChange={onChange}
      {...(folder ? { webkitdirectory: '' } : {})}
    />
  )
}

function isMedia({ type }: File): boolean {
  return MEDIA.some((kind) => type.startsWith(kind))
}

function refusedText(files: readonly File[]): string {
  const what =
    files.length === 1 ? 'is not a picture, video or recording' : 'are not pictures, videos or recordings'
  return `${named(files.map(({ name }) => name))} ${what}. Choose “Any file” to share ${files.length === 1 ? 'it' : 'them'}.`
}

/** Whether the browser can pick a folder. */
export const PICKS_FOLDERS = 'webkitdirectory' in HTMLInputElement.prototype
