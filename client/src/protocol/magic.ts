/**
 * Recognizes media by the first bytes of a file. The type that the sender declares never decides whether a file is
 * shown, because it could name one that runs code.
 */
import type { FileCategory } from './item'

export type Media = 'image' | 'audio' | 'video'

/** A media type that browsers show without running code. */
export interface Recognized {
  readonly media: Media
  readonly type: string
}

/** Number of bytes at the start of a file that `recognize` needs. */
export const START_BYTES = 64

interface Signature {
  readonly type: string
  readonly media: Media
  /** Expected text at a byte offset, one byte per character. */
  readonly marks: readonly (readonly [number, string])[]
  /** The signature is too short to decide alone; the declared category must agree. */
  readonly weak?: true
}

const at = (position: number, text: string) => [position, text] as const

const SIGNATURES: readonly Signature[] = [
  { type: 'image/png', media: 'image', marks: [at(0, '\x89PNG\r\n\x1a\n')] },
  { type: 'image/jpeg', media: 'image', marks: [at(0, '\xff\xd8\xff')] },
  { type: 'image/gif', media: 'image', marks: [at(0, 'GIF87a')] },
  { type: 'image/gif', media: 'image', marks: [at(0, 'GIF89a')] },
  { type: 'image/webp', media: 'image', marks: [at(0, 'RIFF'), at(8, 'WEBP')] },
  { type: 'image/avif', media: 'image', marks: [at(4, 'ftypavif')] },
  { type: 'image/avif', media: 'image', marks: [at(4, 'ftypavis')] },
  { type: 'image/bmp', media: 'image', marks: [at(0, 'BM'), at(6, '\0\0\0\0')], weak: true },
  { type: 'audio/wav', media: 'audio', marks: [at(0, 'RIFF'), at(8, 'WAVE')] },
  { type: 'audio/flac', media: 'audio', marks: [at(0, 'fLaC')] },
  { type: 'audio/mpeg', media: 'audio', marks: [at(0, 'ID3')] },
  { type: 'audio/mp4', media: 'audio', marks: [at(4, 'ftypM4A')] },
  { type: 'audio/mp4', media: 'audio', marks: [at(4, 'ftypM4B')] },
  { type: 'audio/amr', media: 'audio', marks: [at(0, '#!AMR')] },
  // Formats without a file header, by a frame's sync word: layer III of MPEG-1 and MPEG-2, then AAC (ADTS).
  ...['\xff\xfb', '\xff\xfa', '\xff\xf3', '\xff\xf2'].map((mark): Signature => {
    return { type: 'audio/mpeg', media: 'audio', marks: [at(0, mark)], weak: true }
  }),
  ...['\xff\xf1', '\xff\xf9'].map((mark): Signature => {
    return { type: 'audio/aac', media: 'audio', marks: [at(0, mark)], weak: true }
  }),
]

/** Containers that hold audio or video. The declared category only chooses the player. */
const CONTAINERS: readonly { mark: readonly [number, string]; subtype: string; usual: 'audio' | 'video' }[] =
  [
    { mark: at(0, '\x1aE\xdf\xa3'), subtype: 'webm', usual: 'video' },
    { mark: at(0, 'OggS'), subtype: 'ogg', usual: 'audio' },
    ...[
      'isom',
      'iso2',
      'iso4',
      'iso5',
      'iso6',
      'mp41',
      'mp42',
      'avc1',
      'M4V ',
      'dash',
      '3gp4',
      '3gp5',
      '3gp6',
    ].map((brand) => ({ mark: at(4, `ftyp${brand}`), subtype: 'mp4', usual: 'video' as const })),
    { mark: at(4, 'ftypqt  '), subtype: 'quicktime', usual: 'video' },
  ]

/** Returns the recognized media type. Null for a file that may run code (SVG, HTML) and for an unknown one. */
export function recognize(start: Uint8Array, declared: FileCategory): Recognized | null {
  const has = ([position, text]: readonly [number, string]) =>
    [...text].every((letter, index) => start[position + index] === letter.charCodeAt(0))
  const found = SIGNATURES.find(({ marks, media, weak }) => marks.every(has) && (!weak || media === declared))
  if (found) return { media: found.media, type: found.type }
  const container = CONTAINERS.find(({ mark }) => has(mark))
  if (!container) return null
  const media = declared === 'audio' || declared === 'video' ? declared : container.usual
  return { media, type: `${media}/${container.subtype}` }
}
