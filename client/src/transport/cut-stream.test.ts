import fc from 'fast-check'
import { expect, it } from 'vitest'
import { StreamCutter } from './cut-stream'

const streamOf = (parts: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
const read = async (stream: ReadableStream<Uint8Array>) =>
  new Uint8Array(await new Response(stream).arrayBuffer())

it('gives each file its own bytes, however they were divided', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 9 })
  await fc.assert(
    fc.asyncProperty(pieces, pieces, async (arriving, shape) => {
      const all = arriving.flatMap((part) => [...part])
      const cutter = new StreamCutter(streamOf(arriving))
      let at = 0
      for (const { length } of shape) {
        const size = Math.min(length, all.length - at)
        expect([...(await read(cutter.next(size)))]).toEqual(all.slice(at, at + size))
        at += size
      }
    }),
  )
})

it('fails for a file that is not whole', async () => {
  const cutter = new StreamCutter(streamOf([Uint8Array.of(1, 2)]))
  await expect(read(cutter.next(3))).rejects.toThrow('The bytes ended too early.')
})
