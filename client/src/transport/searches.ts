/** Looks for what was received before of a file that is to be received. */
import type { ItemId } from '../protocol/bindings'
import type { Found, ReceivedBytes, SinkFile } from './sinks/sink'

export type Begun = Extract<Found, { is: 'begun' }>

export interface SearchEnd {
  /** The whole file is here. */
  onComplete(file: Blob): void
  /** It is not. `isPaused`: the person has paused meanwhile what was to follow. What they said is also in `begun`. */
  onRest(begun: Begun | null, isPaused: boolean): void
  /** The person has cancelled meanwhile what was to follow. */
  onCancelled(): void
}

interface Search extends Pick<SearchEnd, 'onCancelled'> {
  /** Whether the person has paused meanwhile what is to follow; null while they have neither done that nor gone on with it. */
  isPaused: boolean | null
}

export class Searches {
  /** By item. A later search of the same item takes the place of an earlier one. */
  readonly #searches = new Map<ItemId, Search>()

  /** @param find null at once where nothing can be found */
  constructor(readonly find: ReceivedBytes['find']) {}

  begin(
    file: SinkFile,
    picked: FileSystemFileHandle | null,
    { onComplete, onRest, onCancelled }: SearchEnd,
  ): void {
    // Nothing follows an earlier search any more, also where this one ends at once.
    this.#searches.delete(file.id)
    const finding = this.find(file, picked)
    if (!finding) return onRest(null, false)
    const search: Search = { isPaused: null, onCancelled }
    this.#searches.set(file.id, search)
    const concluded = (found: Found | null) => {
      if (this.#searches.get(file.id) !== search) return
      this.#searches.delete(file.id)
      if (found?.is === 'complete') onComplete(found.file)
      else
        onRest(found && { ...found, isPaused: search.isPaused ?? found.isPaused }, search.isPaused ?? false)
    }
    void finding.then(concluded, () => concluded(null))
  }

  /** Pauses what is to follow a search, or lets it go on. Returns whether there is a search. */
  turn(id: ItemId, isPaused: boolean): boolean {
    const search = this.#searches.get(id)
    if (search) search.isPaused = isPaused
    return search !== undefined
  }

  has(id: ItemId): boolean {
    return this.#searches.has(id)
  }

  /** Nothing follows a search of the item. */
  end(id: ItemId): void {
    this.#searches.delete(id)
  }

  /** The person cancels what is to follow a search. Returns whether there is one. */
  cancel(id: ItemId): boolean {
    const search = this.#searches.get(id)
    this.#searches.delete(id)
    search?.onCancelled()
    return search !== undefined
  }
}
