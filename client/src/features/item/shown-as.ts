/** How the full view shows a file: media by their first bytes, documents by their name. */
import type { ItemId } from '../../protocol/bindings'
import type { Item, ItemContent } from '../../protocol/item'
import type { Media, Recognized } from '../../protocol/magic'
import { addressOf, type Transfer } from '../../stores/transfers'
import { mediaOf } from './describe'

/** A file that the full view can show. A document needs no address: it is read from the server's copy, also a sealed one (E7). */
export type ShownFile = { readonly id: ItemId; readonly name: string; readonly size: number } & (
  | { readonly as: Media; readonly url: string }
  | { readonly as: 'pdf' | 'text'; readonly url: string | null }
)

const PDF = /\.pdf$/i
const TEXT =
  /\.(txt|text|md|markdown|csv|tsv|log|json|jsonl|jsonc|ya?ml|toml|ini|conf|cfg|env|properties|xml|html?|css|scss|less|m?[jt]sx?|cjs|vue|svelte|py|rb|rs|go|java|kt|swift|c|h|cc|cpp|hpp|cs|php|pl|lua|r|sql|sh|bash|zsh|ps1|bat|tex|bib|srt|vtt|ics|vcf|diff|patch|svg|rst|adoc|gradle|lock)$/i
const TEXT_NAMES =
  /^(readme|license|licence|makefile|dockerfile|changelog|copying|\.gitignore|\.editorconfig)$/i

/**
 * Returns how a document is shown; null for any other file. A wrong name does no harm: a PDF is drawn as pictures of its
 * pages, and of everything else only the characters are shown.
 */
export function documentOf(content: ItemContent): 'pdf' | 'text' | null {
  // The name of a folder may end like that of a document.
  if (content.kind !== 'file' || content.manifest) return null
  const { name, type } = content
  if (PDF.test(name) || type === 'application/pdf') return 'pdf'
  return TEXT.test(name) || TEXT_NAMES.test(name) || type.startsWith('text/') ? 'text' : null
}

/** Returns what the full view needs to show an item; null for one that it cannot show from here. */
export function shownFile(
  { id, content }: Item,
  transfer: Transfer | undefined,
  kind: Recognized | null | undefined,
): ShownFile | null {
  if (content.kind !== 'file') return null
  const { name, size } = content
  const url = addressOf(content, transfer)
  const media = mediaOf(content, kind)
  if (media !== null) return url === null ? null : { id, name, size, url, as: media }
  const as = documentOf(content)
  return as !== null && (url ?? content.url) !== null ? { id, name, size, url, as } : null
}
