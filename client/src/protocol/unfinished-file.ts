import type { BeamId, ItemId } from './bindings'

/** A file of which a part is on this browser's disk. */
export interface UnfinishedFile {
  readonly id: ItemId
  /** What a person knows it by: the name that its item gives it, and the beam of the item. */
  readonly name: string
  readonly beam: BeamId
  /** In bytes: the whole file, and what is here of it. */
  readonly size: number
  readonly bytes: number
  /** When a part of it was received last, in milliseconds since the Unix epoch. */
  readonly usedAt: number
  /** Whether another open tab receives it, or did so last. */
  readonly isElsewhere: boolean
}
