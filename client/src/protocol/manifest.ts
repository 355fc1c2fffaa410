/**
 * Many files as one item (F16): its bytes are a manifest, which lists the files, and then the bytes of the files one
 * after another in the order of the list. A folder is the same with paths of several parts, and with its empty folders.
 */
import * as v from 'valibot'
import { parseJson } from './envelope'
import { displayName } from './names'

/** What the item's message says of its manifest. `bytes` is the length of the manifest. */
export interface ManifestFacts {
  readonly files: number
  readonly bytes: number
  /** Whether the item is one folder, whose name it bears. Only for how it is shown. */
  readonly folder?: boolean | undefined
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

/** What a manifest lists, with the place of each file. */
export interface Manifest {
  readonly files: readonly PlacedFile[]
  /** The paths of the folders without files. Those with files are told by the paths of these. */
  readonly folders: readonly string[]
}

/** The most files and empty folders. Enough for the folders of a person. At about 100 bytes each, a list of so many is read in about 0.2 s. */
export const MAX_PACKED_FILES = 50_000
/** About 160 bytes for each of the most files: the list is held in memory and received before anything is shown of it. */
export const MAX_MANIFEST_BYTES = 8 * 1024 * 1024
/** In UTF-16 units. Windows takes paths of 260, Linux of 4096 bytes. */
export const MAX_PATH_LENGTH = 1024
/** A path has at most so many parts. */
export const MAX_DEPTH = 64

/**
 * The most folders that a manifest means: those that it lists, and those above files and folders. Paths of 64 parts would
 * mean fifty times as many as there are files, each an object of the tree that is shown and a folder that is made.
 */
export const MAX_FOLDERS = 100_000

/** The bytes of a manifest that lists nothing: `{"files":[],"folders":[]}`. */
const FRAME_BYTES = 25

const utf8 = new TextEncoder()

const factsSchema = v.object({
  files: v.pipe(v.number(), v.safeInteger(), v.minValue(0), v.maxValue(MAX_PACKED_FILES)),
  bytes: v.pipe(v.number(), v.safeInteger(), v.minValue(2), v.maxValue(MAX_MANIFEST_BYTES)),
  folder: v.optional(v.boolean()),
})

const safePath = v.pipe(v.string(), v.maxLength(MAX_PATH_LENGTH), v.check(isSafePath))

const packedFile = v.object({
  path: safePath,
  size: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  type: v.pipe(v.string(), v.maxLength(255)),
  modified: v.pipe(v.number(), v.safeInteger()),
})

/** The numbers of files and folders are checked before any of them is looked at. */
const manifestSchema = (files: number) =>
  v.object({
    files: v.pipe(
      v.custom<unknown[]>((list) => Array.isArray(list) && list.length === files),
      v.array(packedFile),
    ),
    // A manifest without it was written before there was such a list.
    folders: v.optional(
      v.pipe(
        v.custom<unknown[]>((list) => Array.isArray(list) && list.length <= MAX_PACKED_FILES - files),
        v.array(safePath),
      ),
      [],
    ),
  })

/** Reads what a message says of a manifest. Returns undefined when that cannot be, so that the item is a plain file. */
export function parseManifestFacts(facts: unknown, size: number): ManifestFacts | undefined {
  const parsed = v.safeParse(factsSchema, facts)
  return parsed.success && parsed.output.bytes <= size ? parsed.output : undefined
}

/** Writes the manifest of files, and of the folders without files, as UTF-8. */
export function writeManifest(
  files: readonly PackedFile[],
  folders: readonly string[] = [],
): Uint8Array<ArrayBuffer> {
  return utf8.encode(JSON.stringify({ files: files.map(plain), ...(folders.length > 0 && { folders }) }))
}

function plain({ path, size, type, modified }: PackedFile): PackedFile {
  return { path, size, type, modified }
}

/**
 * Reads a manifest that another device wrote. Returns null when anything of it is not as F16 says: a list that lies in
 * one place is not believed in another.
 * @param size the size of the item in bytes
 */
export function readManifest(bytes: Uint8Array, facts: ManifestFacts, size: number): Manifest | null {
  if (bytes.byteLength !== facts.bytes) return null
  const parsed = v.safeParse(manifestSchema(facts.files), parseJson(decode(bytes)), { abortEarly: true })
  if (!parsed.success) return null
  const { files, folders } = parsed.output
  if (!hasPlaceForEach(files, folders)) return null
  const end = files.reduce((sum, file) => sum + file.size, facts.bytes)
  return end === size ? { files: placeFiles(files, facts.bytes), folders } : null
}

/** Whether no two files, and no two folders, have one path, and no file has the path of a folder. */
function hasPlaceForEach(files: readonly PackedFile[], empty: readonly string[]): boolean {
  const paths = new Set(files.map(({ path }) => path))
  const folders = new Set(empty)
  if (paths.size < files.length || folders.size < empty.length) return false
  const isFree = (folder: string) => !paths.has(folder)
  const leaves = (path: string) => addAbove(path, folders).every(isFree) && folders.size <= MAX_FOLDERS
  return empty.every(isFree) && [...paths, ...empty].every(leaves)
}

/** Adds the folders above a path to a set. Returns those that were added. */
export function addAbove(path: string, folders: Set<string>): readonly string[] {
  const added: string[] = []
  // The folders above one that is known are known as well.
  for (let folder = above(path); folder !== '' && !folders.has(folder); folder = above(folder)) {
    folders.add(folder)
    added.push(folder)
  }
  return added
}

/** Returns the path of the folder that a path is in; '' at the top. */
export function above(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

/** Returns the last part of a path. */
export function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
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

/** Whether every part of a path can be shown and saved as it is. `.`, `..`, an empty part and one with `\` cannot. */
function isSafePath(path: string): boolean {
  const parts = path.split('/')
  return parts.length <= MAX_DEPTH && parts.every((part) => displayName(part) === part)
}

/**
 * Divides files and empty folders into items that each have a manifest within its bounds, in their order, the folders
 * first. Every part but the last is as large as it may be.
 */
export function packsOf<File extends PackedFile>(
  files: readonly File[],
  folders: readonly string[] = [],
): readonly { readonly files: readonly File[]; readonly folders: readonly string[] }[] {
  const packs: { files: File[]; folders: string[] }[] = []
  let bytes = Number.POSITIVE_INFINITY
  let count = 0
  let tree = new Set<string>()
  const packWith = (entry: unknown, path: string) => {
    // With the comma behind it.
    const more = utf8.encode(JSON.stringify(entry)).byteLength + 1
    const last = packs.at(-1)
    // Its own folders are at most as many as a path has parts.
    const hasRoom = tree.size + MAX_DEPTH <= MAX_FOLDERS
    if (last && hasRoom && count < MAX_PACKED_FILES && bytes + more <= MAX_MANIFEST_BYTES) {
      bytes += more
      count += 1
      addAbove(path, tree)
      return last
    }
    const next = { files: [], folders: [] }
    packs.push(next)
    bytes = FRAME_BYTES + more
    count = 1
    tree = new Set()
    addAbove(path, tree)
    return next
  }
  for (const folder of folders) {
    packWith(folder, folder).folders.push(folder)
    tree.add(folder)
  }
  for (const file of files) packWith(plain(file), file.path).files.push(file)
  return packs
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return ''
  }
}
