import { plural } from '@lingui/core/macro'
import { type ChangeEvent, type MouseEvent, type RefObject, useRef } from 'react'
import { type Chosen, useApp } from '../actions'
import { named } from './named'
import { canPickFiles, pickFiles } from './pick-files'
import { canPickFolders, foldersOf, pickFolder } from './pick-folder'
import { handOver, sharesTo } from './take-files'

export interface FileInputProps {
  /** The accessible name, needed where no visible label contains the input. */
  label?: string
  id?: string
  /** Accepts only pictures, videos and recordings. */
  mediaOnly?: boolean
  folder?: boolean
  /** Whether several files can be picked. */
  multiple?: boolean
  /** Takes what is picked. It is shared where this is absent. */
  onChosen?: (chosen: Chosen) => void
  /** Not reachable by Tab, because a menu opens it. */
  reachedByMenu?: boolean
  ref?: RefObject<HTMLInputElement | null>
}

const MEDIA = ['image/', 'video/', 'audio/'] as const

/** A file input that shares the picked files, or hands them to another part of the page. */
export function FileInput(props: FileInputProps) {
  const { label, id, mediaOnly = false, folder = false, multiple = true, reachedByMenu = false, ref } = props
  const { actions } = useApp()
  const take = props.onChosen ?? sharesTo(actions)
  /** Whether the browser has refused its other picker. */
  const isRefused = useRef(false)
  const onClick = (event: MouseEvent<HTMLInputElement>) => {
    // Pictures have a better picker of their own.
    const pick = folder ? () => pickFolder(actions.readsFolder) : () => pickFiles(multiple)
    if (mediaOnly || isRefused.current || !(folder ? canPickFolders() : canPickFiles())) return
    event.preventDefault()
    const input = event.currentTarget
    pick().then(
      (picked) => picked && handOver(picked, actions, take),
      () => {
        isRefused.current = true
        input.click()
      },
    )
  }
  const onChange = (event: ChangeEvent<HTMLInputElement>) => {
    const files = [...(event.currentTarget.files ?? [])]
    // Cleared, so that picking the same file again counts as a change.
    event.currentTarget.value = ''
    if (folder) return handOver(foldersOf(files), actions, take)
    // `accept` is only a hint, and many pickers can override it.
    const refused = mediaOnly ? files.filter((file) => !isMedia(file)) : []
    const taken = files.filter((file) => !refused.includes(file))
    if (taken.length > 0) take({ files: taken, folders: [] })
    if (refused.length > 0) actions.warn(refusedText(refused))
  }
  return (
    <input
      ref={ref}
      id={id}
      type="file"
      multiple={multiple}
      className="visually-hidden"
      aria-label={label}
      accept={mediaOnly ? MEDIA.map((kind) => `${kind}*`).join(',') : undefined}
      tabIndex={reachedByMenu ? -1 : undefined}
      onClick={onClick}
      onChange={onChange}
      {...(folder ? { webkitdirectory: '' } : {})}
    />
  )
}

function isMedia({ type }: File): boolean {
  return MEDIA.some((kind) => type.startsWith(kind))
}

function refusedText(files: readonly File[]): string {
  const names = named(files.map(({ name }) => name))
  const count = files.length
  return plural(count, {
    1: `${names} is not a picture, video or recording. Choose “Any file” to share it.`,
    other: `${names} are not pictures, videos or recordings. Choose “Any file” to share them.`,
  })
}

/** Whether the browser can pick a folder. */
export const PICKS_FOLDERS = 'webkitdirectory' in HTMLInputElement.prototype
