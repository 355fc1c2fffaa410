/** Stores what was shared in this tab and the server does not have yet. */
import * as v from 'valibot'
import type { BeamId } from '../protocol/bindings'
import { parseJson } from '../protocol/envelope'
import { tabStorage } from '../stores/site-storage'

/** One entry for the tab, because leaving a beam gives up what was not sent to it. */
const KEY = 'unsent'

const storedSchema = v.object({
  beam: v.string(),
  items: v.array(
    v.object({
      id: v.string(),
      message: v.unknown(),
      extra: v.string(),
      to: v.optional(v.string()),
      /** The number of the version that it replaces (S8); absent for an item that the server does not have. */
      replaces: v.optional(v.number()),
      /** Whether it is the content of an item that came in clear text (E12). */
      isClear: v.optional(v.literal(true)),
      /** The devices that a person had chosen to send in clear text to when it was shared (E12). */
      inClearTo: v.optional(v.pipe(v.array(v.string()), v.readonly())),
      /** Whether this device alone has the bytes of its file. */
      isOnlyHere: v.optional(v.boolean()),
      /** Whether the beam was closed to this page, so that the item goes out sealed or by choice alone (E11). */
      isHeldBack: v.optional(v.boolean()),
    }),
  ),
})

/** An item that the server does not have, or a change of one. */
export type Unsent = v.InferOutput<typeof storedSchema>['items'][number]

/** Returns what is stored of a beam. */
export function readUnsent(beam: BeamId): readonly Unsent[] {
  const parsed = v.safeParse(storedSchema, parseJson(tabStorage.getItem(KEY) ?? ''))
  return parsed.success && parsed.output.beam === beam ? parsed.output.items : []
}

export function storeUnsent(beam: BeamId, items: readonly Unsent[]): void {
  if (items.length === 0) forgetUnsent()
  else tabStorage.setItem(KEY, JSON.stringify({ beam, items }))
}

export function forgetUnsent(): void {
  tabStorage.removeItem(KEY)
}
