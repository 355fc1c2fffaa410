/** How far a save has come, told as seldom as the screen needs it. */
import type { ItemId } from '../protocol/bindings'
import { reduceSaves, type Save, type SavesEvent } from '../stores/saves'
import type { Stores } from '../stores/stores'

/** The progress of thousands of files is told at most so often, in milliseconds. */
const TOLD_EVERY_MS = 100

export class SaveProgress {
  readonly #tell: (save: Save) => void
  #save: Extract<Save, { status: 'saving' }>
  #toldAt = Number.NEGATIVE_INFINITY
  #isOver = false

  /** @param files all that are saved, with their sizes in bytes */
  constructor({ files }: { files: readonly { readonly size: number }[] }, tell: (save: Save) => void) {
    const size = files.reduce((sum, file) => sum + file.size, 0)
    this.#save = { status: 'saving', saved: 0, of: files.length, bytes: 0, size, isCut: false }
    this.#tell = tell
    tell(this.#save)
  }

  /** So many files are done. */
  saved(saved: number): void {
    this.#put({ saved })
  }

  /** So many further bytes were read. */
  read(bytes: number): void {
    this.#put({ bytes: this.#save.bytes + bytes })
  }

  /** The bytes stop to come for a while, or come again. */
  cut(isCut: boolean): void {
    this.#toldAt = Number.NEGATIVE_INFINITY
    this.#put({ isCut })
  }

  /** Nothing more is told: what was still being read may fail or come later. */
  end(): void {
    this.#isOver = true
  }

  #put(change: Partial<Extract<Save, { status: 'saving' }>>): void {
    this.#save = { ...this.#save, ...change }
    if (this.#isOver || performance.now() - this.#toldAt < TOLD_EVERY_MS) return
    this.#toldAt = performance.now()
    this.#tell(this.#save)
  }
}

/** Returns what shows the progress of some files on a card while they are saved. */
export function tellerOf({ saves }: Pick<Stores, 'saves'>) {
  const put = (event: SavesEvent) => saves.setState((state) => reduceSaves(state, event), true)
  return async <Saved>(
    id: ItemId,
    files: readonly { readonly size: number }[],
    save: (progress: SaveProgress) => Promise<Saved>,
  ): Promise<Saved> => {
    const progress = new SaveProgress({ files }, (told) => put({ type: 'saving', id, save: told }))
    return save(progress).finally(() => {
      progress.end()
      put({ type: 'ended', id })
    })
  }
}
