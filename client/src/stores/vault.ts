/** The vault of the person who is logged in, and how the keys of saved beams are kept. */
import { createStore } from 'zustand/vanilla'
import type { BeamId } from '../protocol/bindings'
import type { HowKept, PersonKeys, VaultState } from '../protocol/vaults'

export interface VaultsState {
  /** Null while it is not known, and where this page neither seals nor has a vault. */
  readonly own: VaultState | null
  /** The saved beams of which keys are kept. */
  readonly kept: Readonly<Record<BeamId, HowKept>>
  /** The other people of the beam in the Share dialog. */
  readonly people: readonly PersonKeys[]
  /** How often this page has deposited keys, so that others may be kept than before. */
  readonly deposits: number
}

/** This page has deposited keys. */
export function deposited({ deposits }: VaultsState): Pick<VaultsState, 'deposits'> {
  return { deposits: deposits + 1 }
}

export const NOTHING_KNOWN: VaultsState = { own: null, kept: {}, people: [], deposits: 0 }

export function createVaultStore() {
  return createStore<VaultsState>()(() => NOTHING_KNOWN)
}
