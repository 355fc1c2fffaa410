/** The hint below the field of the Join Beam dialog. */
import { BEAM_ID_LENGTH, findBeamId } from '../../protocol/beam-link'

export type JoinHint = { kind: 'hint' | 'error'; text: string }

const WHOLE_LINK = 'A whole link works too.'

/** Counts down to a whole id. A text of that length or more without an id is an error. */
export function joinHint(text: string): JoinHint {
  const typed = text.trim()
  if (typed.includes('/')) return linkHint(typed)
  const left = BEAM_ID_LENGTH - typed.length
  if (left > 0)
    return { kind: 'hint', text: `${left} ${left === 1 ? 'character' : 'characters'} to go. ${WHOLE_LINK}` }
  if (findBeamId(typed)) return { kind: 'hint', text: 'Joining…' }
  return { kind: 'error', text: 'This is not a beam ID.' }
}

function linkHint(typed: string): JoinHint {
  return findBeamId(typed)
    ? { kind: 'hint', text: 'Joining…' }
    : { kind: 'hint', text: 'The link is not whole yet.' }
}
