/** Computes the SHA-256 of a file part by part, so that its size does not matter. */
import { createSHA256 } from 'hash-wasm'
import type { HashMessage } from './hashing'

const TOLD_EVERY_BYTES = 8 * 1024 * 1024

const tell = (message: HashMessage) => postMessage(message)

addEventListener('message', ({ data: url }: MessageEvent<string>) => {
  // `reportError` raises an `error` event at the page that made this worker; a rejected promise would not.
  void hash(url).catch((error: unknown) => reportError(error))
})

async function hash(url: string): Promise<void> {
  const [sha, { body }] = await Promise.all([createSHA256(), fetch(url)])
  let [bytes, told] = [0, 0]
  const reader = body?.getReader()
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done || !value) break
    sha.update(value)
    bytes += value.byteLength
    if (bytes - told < TOLD_EVERY_BYTES) continue
    told = bytes
    tell({ is: 'bytes', bytes })
  }
  tell({ is: 'hash', hex: sha.digest('hex') })
}
