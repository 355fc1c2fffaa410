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

it('goes on with the next file where one was not read, or only in part', async () => {
  const cutter = new StreamCutter(streamOf([Uint8Array.of(1, 2), Uint8Array.of(3, 4, 5), Uint8Array.of(6)]))
  cutter.next(1)
  const half = cutter.next(3).getReader()
  expect((await half.read()).value).toEqual(Uint8Array.of(2))
  await half.cancel()
  expect(await read(cutter.next(2))).toEqual(Uint8Array.of(5, 6))
  expect(cutter.hasFailed).toBe(false)
})

it('knows when its own bytes have failed', async () => {
  const cutter = new StreamCutter(streamOf([Uint8Array.of(1, 2)]))
  cutter.next(3)
  await expect(read(cutter.next(1))).rejects.toThrow('The bytes ended too early.')
  expect(cutter.hasFailed).toBe(true)
})
