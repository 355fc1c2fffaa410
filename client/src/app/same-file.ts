/** Whether files that a person chooses again are those that were shared. */
import { plural, t } from '@lingui/core/macro'
import { named } from '../features/files/named'
import type { FileFacts } from '../protocol/item'
import { displayName } from '../protocol/names'
import type { FileItem } from '../stores/cards'
import { shortName } from '../ui/short-name'

/** Finds the item that each file was shared as. Files of the same name, size and time are of any of the items that fit. */
export function matchFiles(items: readonly FileItem[], files: readonly File[]) {
  const left = [...items]
  const found: (readonly [FileItem, File])[] = []
  const others: File[] = []
  for (const file of files) {
    const item = left.find(({ content }) => whyNotSame(file, content) === null)
    if (!item) {
      others.push(file)
      continue
    }
    left.splice(left.indexOf(item), 1)
    found.push([item, file])
  }
  return { found, others }
}

/** Returns why files are none of some items, in words for the person; null when there are none. @param changed those of other content */
export function whyNoneOf(
  items: readonly FileItem[],
  files: readonly File[],
  changed: readonly FileItem[],
): string | null {
  const [item, ...moreItems] = items
  const count = files.length + changed.length
  if (!item || count === 0) return null
  if (moreItems.length === 0 && count === 1) {
    const [file] = files
    return file ? whyNotSame(file, item.content) : changedText(item.content.name)
  }
  return plural(count, {
    one: '# of the files you chose is not among these, or has changed since it was shared.',
    other: '# of the files you chose are not among these, or have changed since they were shared.',
  })
}

/** Returns why a file is not the one that was shared, in words for the person; null when it is. */
export function whyNotSame(file: File, { name, size, modified }: FileFacts): string | null {
  const wanted = shortName(name)
  if (displayName(file.name) !== name) {
    const chosen = shortName(displayName(file.name))
    return t`“${chosen}” is another file. Choose “${wanted}”.`
  }
  // Other devices may hold parts of it, which fit only the same bytes.
  const isSame = file.size === size && file.lastModified === (modified ?? file.lastModified)
  return isSame ? null : changedText(name)
}

export function changedText(name: string): string {
  const wanted = shortName(name)
  return t`“${wanted}” has changed since it was shared. Share it as a new file.`
}

/** Says which files of an item that is many (F16) were not chosen. */
export function missingText(full: string, paths: readonly string[]): string {
  const name = shortName(full)
  const names = named(paths)
  const count = paths.length
  return plural(count, {
    one: `# file of “${name}” is missing: ${names}. Choose it as well.`,
    other: `# files of “${name}” are missing: ${names}. Choose them as well.`,
  })
}

/** Says which files of an item that is many are not as they were. */
export function changedPartsText(full: string, paths: readonly string[]): string {
  const name = shortName(full)
  const names = named(paths)
  const count = paths.length
  return plural(count, {
    one: `# file of “${name}” has changed since it was shared: ${names}. Share “${name}” as a new item.`,
    other: `# files of “${name}” have changed since they were shared: ${names}. Share “${name}” as a new item.`,
  })
}
