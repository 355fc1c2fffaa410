/** What other apps share into this one: put down by the service worker, picked up by the page that opens next. */

/** The name of the cache that they lie in. */
export const SHARED = 'shared'

export interface SharedContent {
  readonly texts: readonly string[]
  readonly files: readonly File[]
}

const TEXTS = ['title', 'text', 'url'] as const
const FILES = 'files'
/** Characters of a name that no header takes are spelt out. */
const NAME_HEADER = 'x-name'

/** Puts down what a share sheet sent. Several are kept in the order in which they came. */
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
    // An empty field of files comes as one nameless, empty file.
    if (typeof file === 'string' || (file.name === '' && file.size === 0)) continue
    const headers = { [NAME_HEADER]: encodeURIComponent(file.name), 'content-type': file.type }
    await put(new Response(file, { headers }))
  }
}

/** How many things lie there. */
export async function countShared(store: CacheStorage): Promise<number> {
  const cache = await store.open(SHARED)
  return (await cache.keys()).length
}

/** Takes everything that was put down; nothing of it is left there. */
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

/** One text of the three that a share sheet has. Many apps put the address into the text as well. */
export function wordsOf(title: string, text: string, url: string): string {
  const parts = text.includes(url) ? [text] : [text, url]
  return parts.filter((part) => part !== '').join('\n') || title
}

function textOf(value: FormDataEntryValue | null): string {
  return typeof value === 'string' ? value.trim() : ''
}
