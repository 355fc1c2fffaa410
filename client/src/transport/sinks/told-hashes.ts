/**
 * Remembers the hashes that were told of unfinished files (F19), so that a later page can go on while the device that shared
 * a file is away. They are apart from the journal, whose entries are written every second.
 */
import { HASH_BYTES, type PieceHash } from '../../protocol/piece-checks'
import { Table } from '../table'

/** By the name of a file on the disk, which is never used again. The hash of a piece lies at its place, and zeros where none was told. */
export class ToldHashes extends Table<string, Uint8Array> {
  constructor() {
    super('told-hashes', 'files')
  }

  /** Returns what was told of a file, by piece; nothing where the browser refuses to tell. */
  async of(name: string): Promise<ReadonlyMap<number, PieceHash>> {
    return unpacked((await this.read(name).catch(() => null)) ?? new Uint8Array())
  }

  /** Where the browser refuses it, a later page needs the device that shared the file. */
  async keep(name: string, told: ReadonlyMap<number, PieceHash>): Promise<void> {
    await this.write(name, packed(told)).catch(() => {})
  }

  /** What the browser refuses to remove goes with the next sweep, and must keep nothing from being removed with it. */
  override async remove(name: string): Promise<void> {
    await super.remove(name).catch(() => {})
  }

  /** Returns the names of the files; none where the browser refuses to tell. */
  async names(): Promise<readonly string[]> {
    return (await this.all().catch(() => [])).map(([name]) => name)
  }
}

function packed(told: ReadonlyMap<number, PieceHash>): Uint8Array {
  const last = [...told.keys()].reduce((most, piece) => Math.max(most, piece), -1)
  const bytes = new Uint8Array((last + 1) * HASH_BYTES)
  for (const [piece, hash] of told) bytes.set(hash, piece * HASH_BYTES)
  return bytes
}

function unpacked(bytes: Uint8Array): ReadonlyMap<number, PieceHash> {
  const told = new Map<number, PieceHash>()
  for (let at = 0; at < bytes.length; at += HASH_BYTES) {
    const hash = bytes.slice(at, at + HASH_BYTES)
    if (hash.some((byte) => byte !== 0)) told.set(at / HASH_BYTES, hash)
  }
  return told
}
