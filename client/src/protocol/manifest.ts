/**
 * Many files as one item (F16): its bytes are a manifest, which lists the files, and then the bytes of the files one
 * after another in the order of the list. A folder is the same with paths of several parts.
 */
import * as v from 'valibot'
import { parseJson } from './envelope'
import { displayName } from './names'

/** What the item's message says of its manifest. `bytes` is the length of the manifest. */
export interface ManifestFacts {
  readonly files: number
  readonly bytes: number
}

/** One of the files. `modified` is in milliseconds since the Unix epoch. */
export interface PackedFile {
  /** Parts joined by `/`; the last one is the file's name. */
  readonly path: string
  /** In bytes. */
  readonly size: number
  readonly type: string
  readonly modified: number
}

/** A file with its place among the item's bytes. */
export interface PlacedFile extends PackedFile {
  /** The offset of its first byte. */
  readonly start: number
}

/** Enough for the folders of a person. At about 100 bytes each, a list of so many is read in about 0.2 s. */
export const MAX_PACKED_FILES = 50_000
/** About 160 bytes for each of the most files: the list is held in memory and received before anything is shown of it. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024
/** In UTF-16 units. Windows takes paths of 260, Linux of 4096 bytes. */
export const MAX_PATH_LENGTH = 1024
/** A path has at most so many parts. */
const MAX_DEPTH = 64

/** The bytes of a manifest without files: `{"files":[]}`. */
const FRAME_BYTES = 12

const utf8 = new TextEncoder()

const factsSchema = v.object({
  files: v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(MAX_PACKED_FILES)),
  bytes: v.pipe(v.number(), v.safeInteger(), v.minValue(2), v.maxValue(MAX_MANIFEST_BYTES)),
})

const packedFile = v.object({
  path: v.pipe(v.string(), v.maxLength(MAX_PATH_LENGTH), v.check(isSafePath)),
  size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  type: v.pipe(v.string(), v.maxLength(255)),
  modified: v.pipe(v.number(), v.safeInteger()),
})

/** The number of files is checked before any of them is looked at. */
const manifestSchema = (files: number) =>
  v.object({
    files: v.pipe(
      v.custom<unknown[]>((list) => Array.isArray(list) && list.length === files),
      v.array(packedFile),
    ),
  })

/** Reads what a message says of a manifest. Returns undefined when that cannot be, so that the item is a plain file. */
export function parseManifestFacts(facts: unknown, size: number): ManifestFacts | undefined {
  const parsed = v.safeParse(factsSchema, facts)
  return parsed.success && parsed.output.bytes <= size ? parsed.output : undefined
}

/** Writes the manifest of files as UTF-8. */
export function writeManifest(files: readonly PackedFile[]): Uint8Array<ArrayBuffer> {
  return utf8.encode(JSON.stringify({ files: files.map(plain) }))
}

function plain({ path, size, type, modified }: PackedFile): PackedFile {
  return { path, size, type, modified }
}

/**
 * Reads a manifest that another device wrote. Returns null when anything of it is not as F16 says: a list that lies in
 * one place is not believed in another.
 * @param size the size of the item in bytes
 */
export function readManifest(
  bytes: Uint8Array,
  facts: ManifestFacts,
  size: number,
): readonly PlacedFile[] | null {
  if (bytes.byteLength !== facts.bytes) return null
  const parsed = v.safeParse(manifestSchema(facts.files), parseJson(decode(bytes)), { abortEarly: true })
  if (!parsed.success) return null
  const { files } = parsed.output
  if (!hasPlaceForEach(files)) return null
  const placed = placeFiles(files, facts.bytes)
  const end = files.reduce((sum, file) => sum + file.size, facts.bytes)
  return end === size ? placed : null
}

/** Whether no two files have one path, and none has the path of a folder of another. */
function hasPlaceForEach(files: readonly PackedFile[]): boolean {
  const paths = new Set(files.map(({ path }) => path))
  const folders = new Set<string>()
  for (const path of paths) {
    // The folders above one that is known are known as well.
    for (let folder = above(path); folder !== '' && !folders.has(folder); folder = above(folder)) {
      if (paths.has(folder)) return false
      folders.add(folder)
    }
  }
  return paths.size === files.length
}

/** Returns the path of the folder that a path is in; '' at the top. */
function above(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

/** Gives each file its place behind a manifest of `start` bytes. */
export function placeFiles(files: readonly PackedFile[], start: number): readonly PlacedFile[] {
  let at = start
  return files.map((file) => {
    const placed = { ...file, start: at }
    at += file.size
    return placed
  })
}

/** Whether every part of a path can be shown and saved as it is. `.`, `..`, an empty part and `\` never can. */
function isSafePath(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= MAX_DEPTH && parts.every((part) => displayName(part) === part)
}

/**
 * Returns names as paths of a manifest, in their order. Of those that are equal the later ones get a number:
 * `a.txt`, `a (2).txt`.
 */
export function uniquePaths(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  const numbers = new Map<string, number>()
  return names.map((name) => {
    const clean = displayName(name)
    let path = clean
    // Continues where the last equal name ended, so that ten thousand equal names are numbered at once.
    let number = numbers.get(clean) ?? 1
    while (taken.has(path)) path = numbered(clean, ++number)
    numbers.set(clean, number)
    taken.add(path)
    return path
  })
}

/** `a.tar` becomes `a (2).tar`. A name stays within its length. */
export function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.')
  // A longer ending is none, and would leave no room for the number.
  const hasEnding = dot > 0 && name.length - dot <= 32
  const [stem, ending] = hasEnding ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  const mark = ` (${number})${ending}`
  return `${stem.slice(0, 255 - mark.length)}${mark}`
}

/**
 * Divides files into items that each have a manifest within its bounds, in their order. Every part but the last is as
 * large as it may be.
 */
export function packsOf<File extends PackedFile>(files: readonly File[]): readonly (readonly File[])[] {
  const packs: File[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const file of files) {
    const more = entryBytes(file)
    const last = packs.at(-1)
    if (!last || last.length === MAX_PACKED_FILES || bytes + more > MAX_MANIFEST_BYTES) {
      packs.push([file])
      bytes = FRAME_BYTES + more
    } else {
      last.push(file)
      bytes += more
    }
  }
  return packs
}

/** The bytes that a file takes of a manifest, with the comma behind it. */
function entryBytes(file: PackedFile): number {
  return utf8.encode(JSON.stringify(plain(file))).byteLength + 1
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return ''
  }
}
