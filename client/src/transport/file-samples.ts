/** Samples of a file's content, by which one that is chosen again is told from one that was changed and kept its size and time. */
import type { PieceHash } from '../protocol/piece-checks'
import { blake3 } from './blake3'
import { READ_WITHIN_MS, within } from './within'

const SAMPLES = 64
const SAMPLE_BYTES = 32 * 1024

/**
 * Returns a hash of parts of a file that are spread over it evenly, its start and its end among them; of a small file, of all.
 * @throws when it cannot be read
 */
export async function samplesOf(file: Blob): Promise<PieceHash> {
  return blake3(new Uint8Array(await within(READ_WITHIN_MS, sampled(file).arrayBuffer())))
}

function sampled(file: Blob): Blob {
  if (file.size <= SAMPLES * SAMPLE_BYTES) return file
  const apart = (file.size - SAMPLE_BYTES) / (SAMPLES - 1)
  const starts = Array.from({ length: SAMPLES }, (_, at) => Math.floor(at * apart))
  return new Blob(starts.map((start) => file.slice(start, start + SAMPLE_BYTES)))
}
