/** The toast that offers Undo. It covers every deletion since it is on the screen, so that none loses its Undo. */
import { plural, t } from '@lingui/core/macro'
import type { Restore } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { reduceTransfers } from '../stores/transfers'
import type { Context, ItemChannel } from './context'
import { endTransfersOf } from './transfer-news'

/** A deleted item, and a function that shares it again. */
export interface WayBack {
  readonly id: ItemId
  /** 0 for an item that is none. */
  readonly files: number
  readonly share: () => void
}

interface Deletion {
  readonly ways: readonly WayBack[]
  /** The beam that the items were in. They are restored only there. */
  readonly beam: ItemChannel | null
  isUndone: boolean
}

export class UndoOffer {
  readonly #context: Context
  /** The deletions that the toast undoes. */
  #covered: readonly Deletion[] = []
  #toast: number | null = null

  constructor(context: Context) {
    this.#context = context
    context.stores.toasts.subscribe(({ toasts }) => {
      if (this.#toast !== null && !toasts.some(({ id }) => id === this.#toast)) this.#ended()
    })
  }

  /** Offers Undo for items that were just deleted. The function restores them too, and works without the toast. */
  add(ways: readonly WayBack[]): Restore {
    const deletion: Deletion = { ways, beam: this.#context.live(), isUndone: false }
    this.#keepBytes(deletion)
    this.#show([...this.#covered.filter(({ beam }) => beam === deletion.beam), deletion])
    return () => this.#undo([deletion])
  }

  #show(deletions: readonly Deletion[]): void {
    const { toaster } = this.#context
    const shown = this.#toast
    this.#toast = null
    this.#covered = deletions
    if (shown !== null) toaster.dismiss(shown)
    const ways = deletions.flatMap((deletion) => deletion.ways)
    if (ways.length === 0) return
    const areFiles = ways.every(({ files }) => files > 0)
    const count = areFiles ? ways.reduce((sum, { files }) => sum + files, 0) : ways.length
    const text = areFiles
      ? plural(count, { 1: 'Deleted', one: 'Deleted # file', other: 'Deleted # files' })
      : plural(count, { 1: 'Deleted', one: 'Deleted # note', other: 'Deleted # notes' })
    this.#toast = toaster.info(text, { label: t`Undo`, run: () => void this.#undo(this.#covered) })
  }

  #undo(deletions: readonly Deletion[]): boolean {
    const beam = this.#context.live()
    const open = deletions.filter((deletion) => !deletion.isUndone && deletion.beam === beam)
    for (const deletion of open) {
      deletion.isUndone = true
      this.#letGo(deletion)
      for (const { share } of deletion.ways) share()
    }
    const left = this.#covered.filter(({ isUndone }) => !isUndone)
    if (left.length < this.#covered.length) this.#show(left)
    return open.length > 0
  }

  /** The toast has left the screen: the bytes that were only kept for it are freed. */
  #ended(): void {
    const { stores, live } = this.#context
    const covered = this.#covered
    this.#toast = null
    this.#covered = []
    for (const deletion of covered) {
      this.#letGo(deletion)
      // The server may have refused the deletion, or not answered yet.
      const here = new Set(stores.items.getState().items.map(({ id }) => id))
      const asked = new Set(live()?.deletions)
      const gone = deletion.ways.map(({ id }) => id).filter((id) => !here.has(id) && !asked.has(id))
      endTransfersOf(gone, stores)
    }
  }

  #keepBytes({ ways }: Deletion): void {
    const ids = ways.map(({ id }) => id)
    this.#context.stores.transfers.setState((state) => reduceTransfers(state, { type: 'held', ids }), true)
  }

  #letGo({ ways }: Deletion): void {
    const ids = ways.map(({ id }) => id)
    this.#context.stores.transfers.setState((state) => reduceTransfers(state, { type: 'letGo', ids }), true)
  }
}
