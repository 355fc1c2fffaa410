/** Blob URLs, and the blobs behind them: a part of a blob is read without the rest, and without a copy. */

const blobs = new Map<string, Blob>()

/** Creates a blob URL. `releaseBlobUrl` is called once it is not needed. */
export function createBlobUrl(blob: Blob): string {
  const url = URL.createObjectURL(blob)
  blobs.set(url, blob)
  return url
}

export function releaseBlobUrl(url: string): void {
  blobs.delete(url)
  URL.revokeObjectURL(url)
}

/** Returns the blob behind an address; null for any other address. */
export function blobBehind(url: string): Blob | null {
  return blobs.get(url) ?? null
}
