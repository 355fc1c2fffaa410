/** The notes of a saved beam, read when the live channel is there and whenever the list may have changed. */
import type { BeamId, DeviceId, Note } from '../protocol/bindings'
import type { NoteMark } from '../protocol/item'
import type { Stores } from '../stores/stores'
import { HttpError } from '../transport/http'
import { readNotes } from '../transport/note-calls'
import { accountKnown } from './account-known'
import type { Toaster } from './toaster'

export interface BeamNotes {
  /** Reads the notes of the beam into the items. */
  load(): Promise<void>
  /** What an item that comes live is: a note in a saved beam, and one's own when one's account is behind it. */
  markOf(from: DeviceId): NoteMark
  /** Answers that are still on their way say nothing any more. */
  end(): void
}

/** The notes of a beam, as whoever turns out to be logged in. @throws HttpError */
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
  /** What is being answered is old: the list may have changed since it was asked for. */
  let isStale = false
  let hasEnded = false
  const ask = async () => {
    isStale = false
    try {
      const notes = await notesFor(beam(), stores)
      if (!isStale && !hasEnded) take(notes)
    } catch (error) {
      const isLoggedOut = error instanceof HttpError && error.status === 401
      if (!isStale && !hasEnded && !isLoggedOut) toaster.bad('Failed to load beam notes')
    }
  }
  return {
    async load() {
      isStale = true
      hasEnded = false
      if (isAsking) return
      isAsking = true
      // Many changes at once cost one more reading, not one each.
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
