import { packCountOf } from '../item/describe'
import { FileName } from './file-name'
import type { FileContent } from './file-row'
import { type FileView, partOf } from './file-view'
import { formatSize } from './format-bytes'

/** The name of a file or folder, or the number of files of an item that is many (F16), in the language of the page. */
export function FileTitle({ content }: { content: FileContent }) {
  const isNamed = !content.manifest || content.manifest.folder
  return isNamed ? <FileName name={content.name} /> : packCountOf(content)
}

/**
 * The size of a file, preceded by the transferred part; that of a folder behind the number of its files. The list of many
 * files (F16) comes first, and is no part of them.
 */
export function FileSize({ content, view }: { content: FileContent; view: FileView }) {
  const count = content.manifest?.folder ? packCountOf(content) : null
  const list = content.manifest?.bytes ?? 0
  const part = partOf(view)
  return (
    <>
      {count !== null && <bdi>{count} · </bdi>}
      <bdi>{formatSize(part && Math.max(0, part - list), content.size - list)}</bdi>
    </>
  )
}
