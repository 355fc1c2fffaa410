/** The names of the kinds of links, as people who know networks call them. */
import { t } from '@lingui/core/macro'
import type { LinkFacts } from '../../protocol/link-report'

/** The names in English: for the screen they are looked up, and reports of faults have these. */
export const KINDS = {
  host: 'host',
  srflx: 'server-reflexive',
  prflx: 'peer-reflexive',
  relay: 'TURN relay',
  server: 'via server',
} as const

export function kindLabel({ kind }: LinkFacts): string {
  if (kind === 'server') return t`via server`
  return kind ? KINDS[kind] : t`not told`
}
