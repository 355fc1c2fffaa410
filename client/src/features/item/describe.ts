/** The name and the icon of an item. */
import { i18n } from '@lingui/core'
import { msg, plural, t } from '@lingui/core/macro'
import CodeXml from 'lucide-react/icons/code-xml'
import File from 'lucide-react/icons/file'
import FileArchive from 'lucide-react/icons/file-archive'
import FileText from 'lucide-react/icons/file-text'
import Files from 'lucide-react/icons/files'
import Folder from 'lucide-react/icons/folder'
import Image from 'lucide-react/icons/image'
import Images from 'lucide-react/icons/images'
import Link from 'lucide-react/icons/link'
import Music from 'lucide-react/icons/music'
import StickyNote from 'lucide-react/icons/sticky-note'
import Type from 'lucide-react/icons/type'
import Video from 'lucide-react/icons/video'
import { AUTO_RECEIVE_BYTES } from '../../protocol/bindings'
import type { ItemContent } from '../../protocol/item'
import type { Media, Recognized } from '../../protocol/magic'
import { RICH_NOTE, untitledNote } from '../../protocol/rich-note'
import type { Batch, CardContent } from '../../stores/cards'
import type { Glyph } from '../../ui/icon'
import { codeBlocks } from './code-blocks'

const CATEGORIES = {
  image: { kind: msg`Picture`, icon: Image },
  audio: { kind: msg`Audio`, icon: Music },
  video: { kind: msg`Video`, icon: Video },
  file: { kind: msg`File`, icon: File },
} as const

const ARCHIVES = /\.(zip|7z|rar|tar|gz|bz2|xz|zst|tgz)$/i
const DOCUMENTS = /\.(pdf|txt|md|docx?|odt|rtf|csv)$/i

/** Returns the kind in one word: Text, Code, Link, Note, Picture, Audio, Video, File, Folder, Pictures or Files. */
export function kindOf(content: CardContent): string {
  switch (content.kind) {
    case 'batch':
      return isOfPictures(content) ? t`Pictures` : t`Files`
    case 'link':
      return t`Link`
    case RICH_NOTE:
      return t`Note`
    case 'file':
      if (content.manifest) return content.manifest.folder ? t`Folder` : t`Files`
      return i18n._(CATEGORIES[content.category].kind)
    case 'text':
    case 'unknown':
      return codeOf(content.text) === null ? t`Text` : t`Code`
  }
}

export function iconOf(content: CardContent): Glyph {
  if (content.kind === 'batch') return isOfPictures(content) ? Images : Files
  if (content.kind === 'link') return Link
  if (content.kind === RICH_NOTE) return StickyNote
  if (content.kind === 'file') return fileIcon(content)
  return codeOf(content.text) === null ? Type : CodeXml
}

type FileContent = Extract<ItemContent, { kind: 'file' }>

/** Returns the icon of a file, or of a folder or many files that are one item. */
export function fileIcon({
  name,
  category,
  manifest,
}: Pick<FileContent, 'name' | 'category' | 'manifest'>): Glyph {
  if (manifest) return manifest.folder ? Folder : Files
  if (category !== 'file') return CATEGORIES[category].icon
  if (ARCHIVES.test(name)) return FileArchive
  return DOCUMENTS.test(name) ? FileText : File
}

function isOfPictures({ files }: Batch['content']): boolean {
  return files.every(({ content }) => content.category === 'image')
}

/** Returns the count of a batch in words: `9 files`, `1 picture`. */
export function countOf(content: Batch['content']): string {
  const count = content.files.length
  return isOfPictures(content)
    ? plural(count, { one: '# picture', other: '# pictures' })
    : plural(count, { one: '# file', other: '# files' })
}

/** Returns the count of the files of one item (F16) in words; null for any other item. */
export function packCountOf(content: CardContent): string | null {
  if (content.kind !== 'file' || !content.manifest) return null
  const count = content.manifest.files
  return plural(count, { one: '# file', other: '# files' })
}

/** Returns the name of a folder, or the count of files that are one item (F16); null for any other item. */
export function packTitleOf(content: CardContent): string | null {
  const isFolder = content.kind === 'file' && content.manifest?.folder === true
  return isFolder ? content.name : packCountOf(content)
}

/** Returns the code of a text that consists only of code; else null. */
function codeOf(text: string): string | null {
  const [only, ...more] = codeBlocks(text)
  return only?.kind === 'code' && more.length === 0 ? only.text : null
}

const SHORT = 40

/** Returns a name for the item: its kind, and the beginning of its content. */
export function nameOf(content: CardContent): string {
  if (content.kind === 'batch') return `${countOf(content)}, ${content.files[0]?.content.name ?? ''}`
  return `${kindOf(content)}, ${summary(content)}`
}

function summary(content: ItemContent): string {
  if (content.kind === 'link') return content.host
  if (content.kind === 'file') return packTitleOf(content) ?? content.name
  const text =
    content.kind === RICH_NOTE ? content.title || untitledNote() : (codeOf(content.text) ?? content.text)
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > SHORT ? `${line.slice(0, SHORT).trimEnd()}…` : line
}

/**
 * Returns how a file is shown in its card; null when it cannot be shown, or is too large to be received without a tap.
 */
export function mediaOf(content: ItemContent, kind: Recognized | null | undefined): Media | null {
  if (content.kind !== 'file' || !kind) return null
  if (content.url !== null && !content.seal && content.size > AUTO_RECEIVE_BYTES) return null
  return kind.media
}
