/**
 * The messages by which a device asks others whether items were deleted of which only the server says so (E4). They travel as
 * sealed signals.
 */
import * as v from 'valibot'
import type { ItemId } from './bindings'

export type WitnessMessage = v.InferOutput<typeof schema>

/** Most items of one question: more than the server deletes at once (S28). */
export const MOST_ASKED = 1_000

const round = v.pipe(v.number(), v.safeInteger())
const ids = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.uuid(),
      v.transform((id) => id as ItemId),
    ),
  ),
  v.maxLength(MOST_ASKED),
)
const schema = v.union([
  v.object({ ask: v.literal('deleted'), round, ids }),
  /** Those of the items that were deleted, as the sender knows by a proof or because it has deleted them itself. */
  v.object({ have: v.literal('deleted'), round, ids }),
])

/** Reads a signal; null when it is about something else. */
export function readWitness(message: unknown): WitnessMessage | null {
  const parsed = v.safeParse(schema, message)
  return parsed.success ? parsed.output : null
}
