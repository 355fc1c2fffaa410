/** Chooses where a file goes: where the person said, else the disk, else memory. */
import { openMemorySink } from './memory'
import { hasOpfs, openOpfsSink, sweepOpfs } from './opfs'
import { openPickedSink } from './picked'
import type { Sink, SinkFile } from './sink'

export type OpenSink = (file: SinkFile, picked: FileSystemFileHandle | null) => Promise<Sink>

/** @param tab names this page among the tabs of the browser */
export function sinkOpener(tab: string): OpenSink {
  const swept = hasOpfs() ? sweepOpfs(tab).catch(() => {}) : null
  return async (file, picked) => {
    if (picked) return openPickedSink(picked, file)
    if (!swept) return openMemorySink(file)
    await swept
    try {
      return await openOpfsSink(file, tab)
    } catch (error) {
      // A private window may have the functions and refuse their use.
      if (error instanceof DOMException && error.name === 'SecurityError') return openMemorySink(file)
      throw error
    }
  }
}
