/** The label and the icon of each way to a device, and of that of a transfer. */
import { t } from '@lingui/core/macro'
import HardDrive from 'lucide-react/icons/hard-drive'
import Router from 'lucide-react/icons/router'
import Server from 'lucide-react/icons/server'
import Zap from 'lucide-react/icons/zap'
import type { TransferWay, Way } from '../../protocol/way'
import type { Path } from '../../stores/devices'
import type { BadgeTone } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'

interface Label {
  readonly label: string
  readonly icon: Glyph
  readonly tone: BadgeTone
}

/** The labels are looked up while they are drawn. */
export const PATHS: Readonly<Record<Path | 'stored', Label>> = {
  direct: {
    get label() {
      return t`Direct`
    },
    icon: Zap,
    tone: 'ok',
  },
  turn: {
    get label() {
      return t`via TURN`
    },
    icon: Router,
    tone: 'accent',
  },
  relay: {
    get label() {
      return t`via server`
    },
    icon: Server,
    tone: 'warn',
  },
  stored: {
    get label() {
      return t`Stored`
    },
    icon: HardDrive,
    tone: 'plain',
  },
}

/** Returns what is shown of a transfer's way. */
export function labelOf(way: TransferWay): Label {
  if (way === 'stored') return PATHS.stored
  const { direct, turn, server } = way
  if (direct > 0) return { ...PATHS.direct, label: directLabel(way) }
  if (turn > 0) return server ? { ...PATHS.turn, label: t`via TURN and server` } : PATHS.turn
  return server ? PATHS.relay : PATHS.direct
}

function directLabel({ turn, server }: Way): string {
  if (turn > 0 && server) return t`Direct, via TURN and server`
  if (turn > 0) return t`Direct and via TURN`
  return server ? t`Direct and via server` : PATHS.direct.label
}

/** Returns the way as the details of a transfer tell it: over how many connections, too, when there are several. */
export function detailOf(way: TransferWay): string {
  if (way === 'stored') return PATHS.stored.label
  const { direct, turn, server } = way
  const count = direct + turn
  if (count === 1 || server) return labelOf(way).label
  if (count === direct) return t`Direct ×${count}`
  return count === turn ? t`via TURN ×${count}` : labelOf(way).label
}
