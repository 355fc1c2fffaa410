/** The notes of a saved beam, read once the live channel is open and again whenever the list may have changed. */
import { t } from '@lingui/core/macro'
import type { BeamId, DeviceId, Note } from '../protocol/bindings'
import type { NoteMark } from '../protocol/item'
import type { Stores } from '../stores/stores'
import { HttpError } from '../transport/http'
import { readNotes } from '../transport/note-calls'
import { accountKnown } from './account-known'
import type { Toaster } from './toaster'

export interface BeamNotes {
  /** Reads the notes of the beam into the items store. */
  load(): Promise<void>
  /** Returns the note mark of a live item: set in a saved beam, with `mine` when this account's device shared it. */
  markOf(from: DeviceId): NoteMark
  /** Ends reading. Answers that are still outstanding are ignored. */
  end(): void
}

/** Returns the notes of a beam, read with the login that there is. @throws HttpError */
export async function notesFor(beam: BeamId, stores: Pick<Stores, 'account'>): Promise<readonly Note[]> {
  const account = await accountKnown(stores)
  return readNotes(beam, account.status === 'authenticated' ? 'user' : 'guest')
}

export function createBeamNotes(
  beam: () => BeamId,
  stores: Stores,
  toaster: Toaster,
  take: (notes: readonly Note[]) => void,
): BeamNotes {
  let isAsking = false
  /** The list may have changed since the outstanding request was sent. */
  let isStale = false
  let hasEnded = false
  const ask = async () => {
    isStale = false
    try {
      const notes = await notesFor(beam(), stores)
      if (!isStale && !hasEnded) take(notes)
    } catch (error) {
      const isLoggedOut = error instanceof HttpError && error.status === 401
      if (!isStale && !hasEnded && !isLoggedOut) toaster.bad(t`Failed to load beam notes`)
    }
  }
  return {
    async load() {
      isStale = true
      hasEnded = false
      if (isAsking) return
      isAsking = true
      // Many changes at once need one more request together, not one each.
      while (isStale && !hasEnded) await ask()
      isAsking = false
    },
    markOf(from) {
      if (stores.access.getState().kind !== 'saved') return null
      const { devices, me } = stores.devices.getState()
      const accountOf = (id: DeviceId | null) =>
        devices.find(({ device_id }) => device_id === id)?.username ?? null
      const account = accountOf(me)
      return { mine: account !== null && accountOf(from) === account }
    },
    end() {
      hasEnded = true
    },
  }
}
