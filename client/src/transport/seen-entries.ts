/**
 * What this browser has seen last in vaults (E18), by the tags of beams. It does not go with the keys of a beam: a server could say that the
 * beam has ended, and then show it again, perhaps under another id, with what lay in the vault before.
 */
import { laterSeen, type Seen, type VaultTag } from '../crypto/shared-keys'
import { Table } from './table'

export interface SeenEntries {
  /** Returns null where nothing was seen, and where the browser does not tell. */
  of(named: VaultTag): Promise<Seen | null>
  /** Adds to what was seen. */
  note(named: VaultTag, seen: Seen): Promise<void>
}

export const NOTHING_SEEN: SeenEntries = { of: async () => null, note: async () => {} }

/** No key is in it, and nothing that leads to a beam. */
interface Noted extends Seen {
  /** When something was seen last, in milliseconds since the Unix epoch. */
  readonly at: number
}

const KEPT_MS = 365 * 24 * 60 * 60 * 1_000

export class SeenEntryStore implements SeenEntries {
  readonly #table = new Table<string, Noted>('heliograph-seen-entries', 'entries')

  /** @param now returns milliseconds since the Unix epoch */
  constructor(readonly now: () => number) {}

  of(named: VaultTag): Promise<Seen | null> {
    return this.#table.read(keyOf(named)).catch(() => null)
  }

  /** Where the browser keeps nothing, a later page knows nothing of it. */
  async note(named: VaultTag, seen: Seen): Promise<void> {
    const noted = (there: Noted | null) => ({ ...(there ? laterSeen(there, seen) : seen), at: this.now() })
    await this.#table.change(keyOf(named), noted).catch(() => {})
  }

  /** Removes what this browser has not seen for a year. */
  sweep(): Promise<void> {
    return this.#table.sweep(({ at }) => this.now() - at > KEPT_MS)
  }
}

function keyOf({ vault, tag }: VaultTag): string {
  return `${vault} ${tag}`
}
