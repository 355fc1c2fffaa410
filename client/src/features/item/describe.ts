/** What an item is called, in words and as an icon. */
import File from 'lucide-react/icons/file'
import FileArchive from 'lucide-react/icons/file-archive'
import FileText from 'lucide-react/icons/file-text'
import Image from 'lucide-react/icons/image'
import Link from 'lucide-react/icons/link'
import Music from 'lucide-react/icons/music'
import StickyNote from 'lucide-react/icons/sticky-note'
import Type from 'lucide-react/icons/type'
import Video from 'lucide-react/icons/video'
import { AUTO_RECEIVE_BYTES } from '../../protocol/bindings'
import type { ItemContent } from '../../protocol/item'
import { RICH_NOTE, UNTITLED } from '../../protocol/rich-note'
import type { Glyph } from '../../ui/icon'

const CATEGORIES = {
  image: { kind: 'Picture', icon: Image },
  audio: { kind: 'Audio', icon: Music },
  video: { kind: 'Video', icon: Video },
  file: { kind: 'File', icon: File },
} as const

const ARCHIVES = /\.(zip|7z|rar|tar|gz|bz2|xz|zst|tgz)$/i
const DOCUMENTS = /\.(pdf|txt|md|docx?|odt|rtf|csv)$/i

/** One word: Text, Link, Note, Picture, Audio, Video, File. */
export function kindOf(content: ItemContent): string {
  switch (content.kind) {
    case 'link':
      return 'Link'
    case RICH_NOTE:
      return 'Note'
    case 'file':
      return CATEGORIES[content.category].kind
    case 'text':
    case 'unknown':
      return 'Text'
  }
}

export function iconOf(content: ItemContent): Glyph {
  if (content.kind === 'link') return Link
  if (content.kind === RICH_NOTE) return StickyNote
  if (content.kind !== 'file') return Type
  if (content.category !== 'file') return CATEGORIES[content.category].icon
  if (ARCHIVES.test(content.name)) return FileArchive
  return DOCUMENTS.test(content.name) ? FileText : File
}

const SHORT = 40

/** A name for the item: its kind and as much of it as tells it from others. */
export function nameOf(content: ItemContent): string {
  return `${kindOf(content)}, ${summary(content)}`
}

function summary(content: ItemContent): string {
  if (content.kind === 'link') return content.host
  if (content.kind === 'file') return content.name
  const text = content.kind === RICH_NOTE ? content.title || UNTITLED : content.text
  const line = text.trim().split('\n')[0] ?? ''
  return line.length > SHORT ? `${line.slice(0, SHORT).trimEnd()}…` : line
}

// Everything else may run code or be drawn by whatever the system has; it stays a file.
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp'])

export type Media = 'image' | 'audio' | 'video'

/** How a file can be shown in its card; null for a file that cannot, or that is too large to come without a tap. */
export function mediaOf(content: ItemContent): Media | null {
  if (content.kind !== 'file' || content.category === 'file') return null
  if (content.url !== null && content.size > AUTO_RECEIVE_BYTES) return null
  if (content.category === 'image') return PICTURES.has(content.type.toLowerCase()) ? 'image' : null
  return content.category
}
