/** The hint below the field of the Join Beam dialog. */
import { plural, t } from '@lingui/core/macro'
import { BEAM_ID_LENGTH, findBeamId } from '../../protocol/beam-link'
import {
  isMistypedCode,
  missingOfShortCode,
  parseShortCode,
  SHORT_CODE_LENGTH,
} from '../../protocol/short-code'

export type JoinHint = { kind: 'hint' | 'error'; text: string }

/** Counts down to a whole id. A text of that length or more without an id is an error. */
export function joinHint(text: string): JoinHint {
  const typed = text.trim()
  if (typed === '') return { kind: 'hint', text: t`The ID, its link, or a short code of six characters.` }
  if (typed.includes('/')) return linkHint(typed)
  if (parseShortCode(typed)) return { kind: 'hint', text: t`Looking up the code…` }
  const missing = missingOfShortCode(typed)
  if (missing !== null) return { kind: 'hint', text: toGo(missing) }
  if (isMistypedCode(typed)) return { kind: 'error', text: t`Short codes have none of 0, O, 1, I and L.` }
  const left = BEAM_ID_LENGTH - typed.length
  if (left > 0 && !beginsId(typed))
    return { kind: 'hint', text: t`This is neither an ID nor a short code. A whole link works too.` }
  if (typed.length === SHORT_CODE_LENGTH)
    return { kind: 'hint', text: t`This is no short code. As an ID it lacks ${left} characters.` }
  if (left > 0) return { kind: 'hint', text: `${toGo(left)} ${t`A whole link works too.`}` }
  if (findBeamId(typed)) return { kind: 'hint', text: t`Joining…` }
  return { kind: 'error', text: t`This is not a beam ID.` }
}

/** Whether a text has only what an id has, digits up to F. */
function beginsId(text: string): boolean {
  return /^[\da-f-]+$/i.test(text)
}

function toGo(count: number): string {
  return plural(count, { one: '# character to go.', other: '# characters to go.' })
}

function linkHint(typed: string): JoinHint {
  return findBeamId(typed)
    ? { kind: 'hint', text: t`Joining…` }
    : { kind: 'hint', text: t`The link is not whole yet.` }
}
