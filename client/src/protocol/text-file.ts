/** Reads the bytes of a text file as characters. */

export interface TextStart {
  readonly text: string
  /** The label of the encoding, as in the Encoding Standard. */
  readonly encoding: string
}

/** Bytes looked at to tell text from other files. */
const PROBE_BYTES = 8192

const MARKS: readonly { bytes: readonly number[]; encoding: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
]

/**
 * Returns the text at the start of a file; null when the bytes are no text. The encoding is that of the byte order mark,
 * else UTF-8, else Windows-1252, which gives every byte a character. A character cut off at the end is left out.
 */
export function readTextStart(bytes: Uint8Array): TextStart | null {
  const mark = MARKS.find((one) => one.bytes.every((byte, at) => bytes[at] === byte))
  if (mark) return { text: decoded(bytes, mark.encoding), encoding: mark.encoding }
  if (bytes.subarray(0, PROBE_BYTES).includes(0)) return null
  try {
    return { text: decoded(bytes, 'utf-8', true), encoding: 'utf-8' }
  } catch {
    return { text: decoded(bytes, 'windows-1252'), encoding: 'windows-1252' }
  }
}

function decoded(bytes: Uint8Array, encoding: string, fatal = false): string {
  // As a stream, because the bytes may end within a character.
  return new TextDecoder(encoding, { fatal }).decode(bytes, { stream: true })
}
