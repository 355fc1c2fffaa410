/** Downloads: the browser asks, names and saves on its own. */

/** The browser has read what it saves after so many milliseconds, and may then lose the address. */
const READ_WITHIN_MS = 60_000

/** Lets the browser save a file of this device. */
export function downloadFrom(file: Blob, name: string): void {
  const url = URL.createObjectURL(file)
  clickDownload(url, name)
  // A download that has begun keeps its bytes.
  setTimeout(() => URL.revokeObjectURL(url), READ_WITHIN_MS)
}

export function clickDownload(url: string, name: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}
