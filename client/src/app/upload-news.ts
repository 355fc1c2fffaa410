/** Tells about files that go out: one toast for a single file, and one for all that were shared together. */
import { plural, t } from '@lingui/core/macro'
import type { ItemId } from '../protocol/bindings'
import type { Stores } from '../stores/stores'
import { shortName } from '../ui/short-name'
import type { Toaster } from './toaster'

/** Files that were shared together. */
interface Batch {
  /** Those that are nowhere else yet. */
  readonly waiting: Set<ItemId>
  readonly toast: number
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
  began(files: readonly { id: ItemId; name: string }[]): void {
    const [first, ...others] = files
    if (!first) return
    const name = shortName(first.name)
    if (others.length === 0) return void this.#toaster.info(t`Uploading ${name}`)
    const toast = this.#toaster.info(
      plural(files.length, { one: 'Uploading # file', other: 'Uploading # files' }),
    )
    const batch = { waiting: new Set(files.map(({ id }) => id)), toast, uploaded: 0 }
    for (const { id } of files) this.#batches.set(id, batch)
  }

  /** A device or the server has the whole of a file. Of several files, only the first copy of each counts. */
  arrived(id: ItemId, name: string): void {
    const batch = this.#batches.get(id)
    if (!batch) return void this.#toaster.ok(uploaded(name))
    if (!batch.waiting.delete(id)) return
    batch.uploaded += 1
    const { transfers } = this.#transfers.getState()
    // A file that was deleted meanwhile is not waited for.
    if ([...batch.waiting].some((one) => transfers[one])) return
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
