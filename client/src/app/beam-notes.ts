/**
 * Whose the notes of a saved beam are (H30), read once the live channel is open and again when that may have changed. The notes
 * themselves come over the live channel, where it is noticed what the server adds, keeps back and changes (E3, E4, E14).
 */
import { t } from '@lingui/core/macro'
import type { BeamId, DeviceId, ItemId, Note } from '../protocol/bindings'
import type { NoteMark, NoteMarks } from '../protocol/item'
import type { Stores } from '../stores/stores'
import { HttpError } from '../transport/http'
import { readNotes } from '../transport/note-calls'
import { accountKnown } from './account-known'
import type { Toaster } from './toaster'

export interface BeamNotes {
  /** Reads the marks of the beam's notes. */
  load(): Promise<void>
  /** Returns the note mark of a live item: set in a saved beam, with `mine` when this account's device shared it. */
  markOf(from: DeviceId): NoteMark
  /** Returns the note mark of an item that a sync gave, by the list that was read last. */
  listedMark(id: ItemId): NoteMark
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
  take: (marks: NoteMarks) => void,
): BeamNotes {
  let marks: NoteMarks = new Map()
  let isAsking = false
  /** The list may have changed since the outstanding request was sent. */
  let isStale = false
  let hasEnded = false
  const isSaved = () => stores.access.getState().kind === 'saved'
  const ask = async () => {
    isStale = false
    try {
      const notes = await notesFor(beam(), stores)
      if (isStale || hasEnded) return
      marks = new Map(notes.map(({ id, mine }) => [id, { mine }]))
      take(marks)
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
      if (!isSaved()) return null
      const { devices, me } = stores.devices.getState()
      const accountOf = (id: DeviceId | null) =>
        devices.find(({ device_id }) => device_id === id)?.username ?? null
      const account = accountOf(me)
      return { mine: account !== null && accountOf(from) === account }
    },
    listedMark: (id) => (isSaved() ? (marks.get(id) ?? { mine: false }) : null),
    end() {
      hasEnded = true
      marks = new Map()
    },
  }
}
