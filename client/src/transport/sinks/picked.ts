/**
 * The sink of a file that the person picked (File System Access). The browser moves the file into place when it closes.
 */
import { dropPicked } from '../save-folder'
import type { Sink, SinkFile } from './sink'

export async function openPickedSink(handle: FileSystemFileHandle, { size }: SinkFile): Promise<Sink> {
  const stream = await handle.createWritable()
  try {
    await stream.truncate(size)
  } catch (error) {
    // An open stream would lock the person's file.
    await stream.abort().catch(() => {})
    await dropPicked(handle)
    throw error
  }
  let isFinished = false
  return {
    // The person decides how long.
    isKept: true,
    // Until it is closed, the browser keeps what was written where no later page finds it.
    part: null,
    read: null,
    write: (position, data) => stream.write({ type: 'write', position, data }),
    async finish() {
      await stream.close()
      isFinished = true
      return null
    },
    // A complete file belongs to the person and stays. The empty one that the picker has made stays only while it is needed.
    async discard(isOver = false) {
      if (isFinished) return
      await stream.abort()
      if (isOver) await dropPicked(handle)
    },
  }
}
