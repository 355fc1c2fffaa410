/** Uploads and downloads by plain HTTP, never with the whole file in memory. */
import { createCipheriv, createHash } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

const BLOCK = 1024 * 1024
const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
const BOUNDARY = 'x'

export interface Stored {
  readonly url: string
  readonly sha256: string
}

/** Uploads a file of this size that begins like a picture and continues with noise. */
export async function store(origin: string, size: number): Promise<Stored> {
  const hash = createHash('sha256')
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const sending = request(`${origin}/api/upload/`, { method: 'POST', headers })
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  await pipeline(
    form(size, (bytes) => hash.update(bytes)),
    sending,
  )
  const [answer] = await answered
  const said = (await json(answer)) as { url: string; size: number }
  if (answer.statusCode !== 201 || said.size !== size) {
    throw new Error(`${answer.statusCode} ${JSON.stringify(said)}`)
  }
  return { url: origin + said.url, sha256: hash.digest('hex') }
}

/** Returns the SHA-256 of a download, whole or a range. */
export async function sha256Of(url: string, range?: string): Promise<string> {
  const answer = await fetch(url, { headers: range ? { range } : {} })
  if (!answer.ok || !answer.body) throw new Error(`${answer.status}`)
  const hash = createHash('sha256')
  for await (const bytes of answer.body) hash.update(bytes)
  return hash.digest('hex')
}

function* form(size: number, onBytes: (bytes: Buffer) => void): Generator<Buffer> {
  const field = 'content-disposition: form-data; name="file"; filename="noise.png"\r\ncontent-type: image/png'
  yield Buffer.from(`--${BOUNDARY}\r\n${field}\r\n\r\n`)
  for (const bytes of noise(size)) {
    onBytes(bytes)
    yield bytes
  }
  yield Buffer.from(`\r\n--${BOUNDARY}--\r\n`)
}

/** Yields the same bytes each time, of which no two blocks are equal. */
function* noise(size: number): Generator<Buffer> {
  yield PNG
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16))
  for (let left = size - PNG.length; left > 0; left -= BLOCK)
    yield cipher.update(Buffer.alloc(Math.min(left, BLOCK)))
}
