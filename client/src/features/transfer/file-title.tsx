import { packCountOf } from '../item/describe'
import { FileName } from './file-name'
import type { FileContent } from './file-row'

/** The name of a file, or the number of files of an item that is many (F16), in the language of the page. */
export function FileTitle({ content }: { content: FileContent }) {
  return packCountOf(content) ?? <FileName name={content.name} />
}
