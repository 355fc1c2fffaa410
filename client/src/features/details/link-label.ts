/** The names of the kinds of links. Those of candidates are terms of RFC 8445, the same in every language. */
import { t } from '@lingui/core/macro'
import type { LinkFacts } from '../../protocol/link-report'

export function kindLabel({ kind }: LinkFacts): string {
  switch (kind) {
    case 'host':
      return 'host'
    case 'srflx':
      return 'server-reflexive'
    case 'prflx':
      return 'peer-reflexive'
    case 'relay':
      return t`via TURN`
    case 'server':
      return t`via server`
    case null:
      return t`not told`
  }
}
