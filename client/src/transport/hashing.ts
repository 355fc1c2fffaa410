/** The hash of a file, computed in a worker of its own. */

/** How many bytes are hashed, and in the end the hash in lower-case hexadecimal digits. */
export type HashMessage =
  | { readonly is: 'bytes'; readonly bytes: number }
  | { readonly is: 'hash'; readonly hex: string }

/**
 * Returns the SHA-256 of the file at an address of this device.
 * @param onBytes called with the bytes that are hashed so far
 * @throws when the file cannot be read, or the signal ends it
 */
export async function sha256Of(
  url: string,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const worker = new Worker(new URL('./hash-worker.ts', import.meta.url), { type: 'module' })
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<HashMessage>) => {
        if (data.is === 'hash') resolve(data.hex)
        else onBytes(data.bytes)
      }
      worker.onerror = () => reject(new Error('The file cannot be read.'))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      worker.postMessage(url)
    })
  } finally {
    worker.terminate()
  }
}
