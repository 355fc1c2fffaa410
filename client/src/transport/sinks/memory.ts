/** The sink of browsers that have no disk for pages: honest about what it can hold. */
import { NoRoom, type Sink, type SinkFile } from './sink'

/** What a phone's browser survives; beyond it the tab would be killed in the middle. */
const MOST_BYTES = 256 * 1024 * 1024

/** @throws NoRoom when the file is larger than memory can be trusted with */
export function openMemorySink({ size, type }: SinkFile): Sink {
  if (size > MOST_BYTES) {
    throw new NoRoom(
      'This browser can only receive files up to 256 MB here. Open the page over https, or in another browser.',
    )
  }
  const bytes = new Uint8Array(size)
  return {
    write: (position, part) => bytes.set(part, position),
    finish: async () => new Blob([bytes], { type }),
    abort: async () => {},
  }
}
