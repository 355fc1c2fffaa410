/** Content that other apps share into this one: stored by the service worker, taken by the page that opens next. */

/** The name of the cache that stores it. */
export const SHARED = 'shared'

export interface SharedContent {
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
  let number = (await cache.keys()).length
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

/** Returns the number of texts and files stored. */
export async function countShared(store: CacheStorage): Promise<number> {
  const cache = await store.open(SHARED)
  return (await cache.keys()).length
}

/** Returns everything stored, and removes it. */
export async function takeShared(store: CacheStorage): Promise<SharedContent> {
  const cache = await store.open(SHARED)
  const texts: string[] = []
  const files: File[] = []
  for (const key of await cache.keys()) {
    const answer = await cache.match(key)
    if (!answer) continue
    const name = answer.headers.get(NAME_HEADER)
    if (name === null) texts.push(await answer.text())
    else {
      const type = answer.headers.get('content-type') ?? ''
      files.push(new File([await answer.blob()], decodeURIComponent(name), { type }))
    }
  }
  await store.delete(SHARED)
  return { texts, files }
}

/** Joins the three texts of a share sheet. Many apps repeat the address in the text. */
export function wordsOf(title: string, text: string, url: string): string {
  const parts = text.includes(url) ? [text] : [text, url]
  return parts.filter((part) => part !== '').join('\n') || title
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value.trim() : ''
}
