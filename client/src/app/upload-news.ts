/** Tells about files that go out: one toast for a single file, and one for all that were shared together. */
import { plural, t } from '@lingui/core/macro'
import type { ItemId } from '../protocol/bindings'
import type { ManifestFacts } from '../protocol/manifest'
import type { Stores } from '../stores/stores'
import { shortName } from '../ui/short-name'
import type { Toaster } from './toaster'

/** One item that goes out: a file, or many with a manifest (F16). */
interface Outgoing {
  readonly id: ItemId
  readonly name: string
  readonly manifest?: ManifestFacts | undefined
}

/** Files that were shared together. */
interface Batch {
  /** The items that are nowhere else yet, each with the number of its files. */
  readonly waiting: Map<ItemId, number>
  readonly toast: number
  /** Files. */
  uploaded: number
}

export class UploadNews {
  readonly #transfers: Stores['transfers']
  readonly #toaster: Toaster
  readonly #batches = new Map<ItemId, Batch>()

  constructor(transfers: Stores['transfers'], toaster: Toaster) {
    this.#transfers = transfers
    this.#toaster = toaster
  }

  /** Files are shared together. */
  began(items: readonly Outgoing[]): void {
    const [first] = items
    if (!first) return
    const name = shortName(first.name)
    const waiting = new Map(items.map(({ id, manifest }) => [id, Math.max(1, manifest?.files ?? 1)]))
    const files = [...waiting.values()].reduce((sum, count) => sum + count, 0)
    const isOneFolder = items.length === 1 && first.manifest?.folder === true
    if (files === 1 || isOneFolder) return void this.#toaster.info(t`Uploading ${name}`)
    const toast = this.#toaster.info(plural(files, { one: 'Uploading # file', other: 'Uploading # files' }))
    const batch = { waiting, toast, uploaded: 0 }
    for (const { id } of items) this.#batches.set(id, batch)
  }

  /** A device or the server has the whole of an item. Of several files, only the first copy of each counts. */
  arrived(id: ItemId, name: string): void {
    const batch = this.#batches.get(id)
    if (!batch) return void this.#toaster.ok(uploaded(name))
    batch.uploaded += batch.waiting.get(id) ?? 0
    if (!batch.waiting.delete(id)) return
    const { transfers } = this.#transfers.getState()
    // A file that was deleted meanwhile is not waited for.
    if ([...batch.waiting.keys()].some((one) => transfers[one])) return
    this.#toaster.dismiss(batch.toast)
    this.#toaster.ok(batch.uploaded === 1 ? uploaded(name) : uploadedMany(batch.uploaded))
  }
}

function uploaded(whole: string): string {
  const name = shortName(whole)
  return t`Uploaded "${name}" Successfully!`
}

function uploadedMany(count: number): string {
  return plural(count, { one: 'Uploaded # file Successfully!', other: 'Uploaded # files Successfully!' })
}
