/** Media that nobody is here to take go to the server, where devices that come later find them (F9). */
import type { BeamId, ItemId, UploadedFile } from '../protocol/bindings'
import { fileCategory, fileItemMessage, storedItemMessage } from '../protocol/item'
import { fileTakers } from '../stores/devices'
import { reduceItems } from '../stores/items'
import type { Stores } from '../stores/stores'
import { reduceTransfers, type Storing } from '../stores/transfers'
import { PROGRESS_INTERVAL_MS, Speeds } from '../transport/progress'
import type { Upload } from '../transport/upload'

export interface OutgoingFile {
  readonly id: ItemId
  readonly file: File
  readonly name: string
  /** A blob address of the file. */
  readonly url: string
}

export interface UploadEnds {
  /** The server has it: what to share. */
  onStored(message: unknown, extra: string): void
  onFailed(): void
}

export interface Uploads {
  /** Whether a file goes to the server first: the store takes media, and only while no device could take it directly. */
  wants(file: File): boolean
  start(file: OutgoingFile, beam: BeamId, ends: UploadEnds): void
}

export function createUploads(stores: Stores, upload: Upload): Uploads {
  const cancels = new Map<ItemId, () => void>()
  // An item that goes, by deleting it or by leaving the beam, takes its upload with it.
  stores.items.subscribe(({ items }) => {
    if (cancels.size === 0) return
    const here = new Set(items.map(({ id }) => id))
    for (const [id, cancel] of cancels) {
      if (here.has(id)) continue
      cancels.delete(id)
      cancel()
    }
  })
  const put = ({ id, url }: OutgoingFile, state: Storing) =>
    stores.transfers.setState((old) => reduceTransfers(old, { type: 'storing', id, state, url }), true)
  return {
    wants: ({ type }) => fileCategory(type) !== 'file' && fileTakers(stores.devices.getState()).length === 0,
    start(outgoing, beam, ends) {
      const { id, file, name } = outgoing
      const tell = progressOf((sent, bytesPerSecond) =>
        put(outgoing, { status: 'moving', sent, bytesPerSecond }),
      )
      const { message, extra } = fileItemMessage({ name, size: file.size, type: file.type })
      const event = { type: 'shared', id, message, extra, at: Date.now() } as const
      stores.items.setState((state) => reduceItems(state, event), true)
      tell(0)
      const end = (stored: UploadedFile | null) => {
        cancels.delete(id)
        if (!stored) return ends.onFailed()
        put(outgoing, { status: 'done' })
        const shared = storedItemMessage({ name, size: stored.size, type: stored.type, url: stored.url })
        ends.onStored(shared.message, shared.extra)
      }
      cancels.set(id, upload(file, beam, { onProgress: tell, onEnd: end }))
    },
  }
}

/** Tells bytes and speed, not more often than a person can read them. */
function progressOf(tell: (sent: number, bytesPerSecond: number) => void): (sent: number) => void {
  const speeds = new Speeds()
  let toldAt = Number.NEGATIVE_INFINITY
  return (sent) => {
    const now = performance.now()
    if (now - toldAt < PROGRESS_INTERVAL_MS) return
    toldAt = now
    tell(sent, speeds.sample('upload', sent, now))
  }
}
