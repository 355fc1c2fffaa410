import { expect, it } from 'vitest'
import { openPickedSink } from './picked'

/** The file that the picker made, which is empty until a stream is closed. */
function picked({ isFull = false } = {}) {
  const done = { isRemoved: false, isAborted: false, size: 0 }
  const handle = {
    getFile: async () => ({ size: done.size }),
    async remove() {
      done.isRemoved = true
    },
    createWritable: async () => ({
      async truncate() {
        if (isFull) throw new DOMException('', 'QuotaExceededError')
      },
      async write() {},
      async close() {
        done.size = 3
      },
      async abort() {
        done.isAborted = true
      },
    }),
  }
  return { handle: handle as unknown as FileSystemFileHandle, done }
}

const FILE = { size: 3 } as Parameters<typeof openPickedSink>[1]

it('a file for which there is no room leaves no empty one behind', async () => {
  const { handle, done } = picked({ isFull: true })
  await expect(openPickedSink(handle, FILE)).rejects.toMatchObject({ name: 'QuotaExceededError' })
  expect(done).toMatchObject({ isRemoved: true, isAborted: true })
})

it('a file that is not received any more leaves no empty one behind', async () => {
  const { handle, done } = picked()
  const sink = await openPickedSink(handle, FILE)
  await sink.write(0, Uint8Array.of(1, 2))
  await sink.discard(true)
  expect(done).toMatchObject({ isRemoved: true, isAborted: true })
})

it('a file that is complete stays, and so does one to which an interrupted transfer comes back', async () => {
  const complete = picked()
  const sink = await openPickedSink(complete.handle, FILE)
  await sink.finish()
  await sink.discard(true)
  expect(complete.done).toMatchObject({ isRemoved: false, isAborted: false })
  const begun = picked()
  await (await openPickedSink(begun.handle, FILE)).discard()
  expect(begun.done).toMatchObject({ isRemoved: false, isAborted: true })
})
