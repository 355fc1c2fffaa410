/** What a server shows from the vault of a person for several beams of theirs: it could show for one what was sealed for another (E18). */
import type { KeptShared } from '../crypto/shared-keys'
import type { OwnEntry } from '../crypto/vault'
import type { BeamId } from '../protocol/bindings'

export interface ShownEntry {
  readonly beam: BeamId
  readonly entry: OwnEntry
  /** What this browser keeps of that beam. */
  readonly kept: KeptShared | null
}

/** Returns those that are of the beam for which they are shown. @param vault its public key */
export function ofTheirBeams(shown: readonly ShownEntry[], vault: string): readonly ShownEntry[] {
  const possible = shown.filter((one) => isPossible(one, vault))
  return possible.filter((one) => {
    const others = possible.filter((other) => other.entry.tag === one.entry.tag && other !== one)
    // Which of them it is of, only the browser can tell that knows the tag of one alone.
    return isNamed(one, vault) ? !others.some((other) => isNamed(other, vault)) : others.length === 0
  })
}

function isNamed({ entry, kept }: ShownEntry, vault: string): boolean {
  return kept?.inVault?.vault === vault && kept.inVault.tag === entry.tag
}

/** Whether it bears the tag that this browser knows, or before it knows one, has any of the keys that are here. */
function isPossible(shown: ShownEntry, vault: string): boolean {
  const { entry, kept } = shown
  if (!kept || kept.inVault?.vault === vault) return !kept || isNamed(shown, vault)
  return kept.keys.length === 0 || kept.keys.some((key) => entry.keys.includes(key))
}
