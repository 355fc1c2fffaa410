/** Reads the first bytes of a file from a sealed copy that the server has (E7, F9). */
import type { Bytes } from '../crypto/bytes'
import type { FileSeal } from '../protocol/item'
import { chunkCount } from '../protocol/receiver'
import { ChunkLayout } from './chunk-layout'
import { readPart } from './http'
import { SealedChunks } from './sealed-chunks'

/**
 * Returns at most so many bytes, each of which was sealed by who shared the file.
 * @throws HttpError; any other error when the copy is not of this file
 */
export async function readSealedStart(
  url: string,
  { size, seal }: { readonly size: number; readonly seal: FileSeal },
  bytes: number,
): Promise<Bytes> {
  if (size === 0) return new Uint8Array()
  const layout = new ChunkLayout(size, true)
  const range = { first: 0, count: chunkCount(Math.min(bytes, size)) }
  const answer = await readPart(url, layout.start(0), layout.bytesOf(range))
  const sealed = new Uint8Array(await answer.arrayBuffer())
  const opened = await new SealedChunks(seal, size).open(0, sealed)
  if (!opened) throw new Error('The stored copy is of another file.')
  return opened.subarray(0, bytes)
}
