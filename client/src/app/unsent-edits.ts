/**
 * Changes of items that an earlier page of this tab could not send. Each goes out once it is known what the server has of its
 * item: under its id where that is the version that was changed, and else beside it, so that nothing is replaced unseen.
 */
import type { DeviceId, ItemId } from '../protocol/bindings'
import { type Item, parseContent } from '../protocol/item'
import { equalJson } from '../protocol/json'
import { copyTitle, RICH_NOTE, richNoteMessage } from '../protocol/rich-note'
import { mayBeSealed } from '../stores/encryption'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { share } from './sharing'
import type { Unsent } from './unsent-storage'

type Sharing = Pick<Context, 'stores' | 'live'>

export class UnsentEdits {
  readonly #context: Sharing
  readonly #onSettled: () => void
  #waiting: readonly Unsent[] = []

  /** @param onSettled called when fewer of them wait */
  constructor(context: Sharing, onSettled: () => void) {
    this.#context = context
    this.#onSettled = onSettled
    const look = () => {
      // The other parts of the page hear of the items first.
      if (this.#waiting.length > 0) queueMicrotask(() => this.#look())
    }
    context.stores.items.subscribe(look)
    context.stores.encryption.subscribe(({ kind }) => {
      // What was left closed until now comes again, opened.
      if (kind !== 'sealed') look()
    })
  }

  /** Those that cannot go out yet. */
  get waiting(): readonly Unsent[] {
    return this.#waiting
  }

  /** Takes up those of a beam that was entered. */
  wait(edits: readonly Unsent[]): void {
    this.#show(edits)
  }

  /** The beam was left. */
  end(): void {
    this.#show([])
  }

  #show(waiting: readonly Unsent[]): void {
    this.#waiting = waiting
    this.#context.stores.waitingEdits.setState({ count: waiting.length }, true)
  }

  #look(): void {
    const { items, encryption } = this.#context.stores
    const { items: there, epoch } = items.getState()
    if (epoch === null || !this.#context.live()) return
    const known = new Map<string, Item>(there.map((item) => [item.id, item]))
    const sealing = encryption.getState()
    // What is sealed is not shown before this device has its keys.
    const isShown = sealing.kind === 'sealed' || !mayBeSealed(sealing)
    const ready = this.#waiting.filter(({ id }) => known.has(id) || isShown)
    if (ready.length === 0) return
    this.#show(this.#waiting.filter((edit) => !ready.includes(edit)))
    for (const edit of ready) this.#settle(edit, known.get(edit.id))
    this.#onSettled()
  }

  #settle(edit: Unsent, item: Item | undefined): void {
    // The server was told, and the page did not hear so.
    if (item && item.extra === edit.extra && equalJson(item.message, edit.message)) return
    if (item && item.seq === edit.replaces && !item.isChanged) return shareUnsent(this.#context, edit)
    const beside = besideOf(edit, item !== undefined)
    if (beside) shareUnsent(this.#context, beside)
  }
}

/**
 * Returns a change as an item of its own; null for one of a file, which no person has made.
 * @param isCopy whether it stands beside the item
 */
export function besideOf(edit: Unsent, isCopy: boolean): Unsent | null {
  const content = parseContent(edit.message, edit.extra)
  if (content.kind === 'file') return null
  const beside = { ...edit, id: newItemId() }
  if (!isCopy || content.kind !== RICH_NOTE || !content.root) return beside
  return { ...beside, ...richNoteMessage(copyTitle(content.title), content.root) }
}

/** Shares what an earlier page could not send. */
export function shareUnsent(
  context: Sharing,
  { id, message, extra, to, isClear, inClearTo = [] }: Unsent,
): void {
  share(context, id as ItemId, message, extra, {
    to: to as DeviceId | undefined,
    isClear,
    // What was chosen since is not meant for it.
    inClearTo: inClearTo as readonly DeviceId[],
  })
}
