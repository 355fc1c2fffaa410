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

/** Returns what is shown of a transfer's way: where it goes, and over how many connections when there are several. */
export function labelOf(way: TransferWay): Label {
  if (way === 'stored') return PATHS.stored
  const { direct, turn, server } = way
  if (direct > 0) return { ...PATHS.direct, label: directLabel(way) }
  if (turn > 0) return { ...PATHS.turn, label: server ? t`via TURN and server` : turnLabel(turn) }
  return server ? PATHS.relay : PATHS.direct
}

function directLabel({ direct: count, turn, server }: Way): string {
  if (turn > 0 && server) return t`Direct, via TURN and server`
  if (turn > 0) return t`Direct and via TURN`
  if (server) return t`Direct and via server`
  return count > 1 ? t`Direct ×${count}` : PATHS.direct.label
}

function turnLabel(count: number): string {
  return count > 1 ? t`via TURN ×${count}` : PATHS.turn.label
}
