/**
 * Content that other apps share into this one: stored by the service worker, shown by the page that opens next. Any
 * website can post such a form as well, so nothing of it is shared without being asked for.
 */

/** The name of the cache that stores it. */
export const SHARED = 'shared'

export interface SharedContent {
  /** Where each text and file is stored. */
  readonly keys: readonly Request[]
  readonly texts: readonly string[]
  readonly files: readonly File[]
}

const TEXTS = ['title', 'text', 'url'] as const
const FILES = 'files'
/** Header with the file's name, in which characters that no header allows are percent-encoded. */
const NAME_HEADER = 'x-name'

/** Stores the content of a share sheet's form, in its order. */
export async function putShared(store: CacheStorage, form: FormData): Promise<void> {
  const cache = await store.open(SHARED)
  const last = (await cache.keys()).at(-1)
  // Behind the last one: those before it may have been removed.
  let number = last ? Number(last.url.split('/').at(-1)) + 1 : 0
  const put = async (answer: Response) => {
    await cache.put(`/${SHARED}/${String(number).padStart(6, '0')}`, answer)
    number += 1
  }
  const [title = '', text = '', url = ''] = TEXTS.map((name) => textOf(form.get(name)))
  const words = wordsOf(title, text, url)
  if (words !== '') await put(new Response(words))
  for (const file of form.getAll(FILES)) {
    // An empty file field arrives as one empty file without a name.
    if (typeof file === 'string' || (file.name === '' && file.size === 0)) continue
    const headers = { [NAME_HEADER]: encodeURIComponent(file.name), 'content-type': file.type }
    await put(new Response(file, { headers }))
  }
}

/** Returns everything stored, which stays stored. */
export async function readShared(store: CacheStorage): Promise<SharedContent> {
  const cache = await store.open(SHARED)
  const keys = await cache.keys()
  const texts: string[] = []
  const files: File[] = []
  for (const key of keys) {
    const answer = await cache.match(key)
    if (!answer) continue
    const name = answer.headers.get(NAME_HEADER)
    if (name === null) texts.push(await answer.text())
    else {
      const type = answer.headers.get('content-type') ?? ''
      files.push(new File([await answer.blob()], decodeURIComponent(name), { type }))
    }
  }
  return { keys, texts, files }
}

/** Removes what was read. What came since stays. */
export async function dropShared(store: CacheStorage, { keys }: SharedContent): Promise<void> {
  const cache = await store.open(SHARED)
  await Promise.all(keys.map((key) => cache.delete(key)))
}

/** Joins the three texts of a share sheet. Many apps repeat the address in the text. */
export function wordsOf(title: string, text: string, url: string): string {
  const parts = text.includes(url) ? [text] : [text, url]
  return parts.filter((part) => part !== '').join('\n') || title
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value.trim() : ''
}
