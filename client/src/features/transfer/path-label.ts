/** The label and the icon of each way to a device or a file. */
import HardDrive from 'lucide-react/icons/hard-drive'
import Router from 'lucide-react/icons/router'
import Server from 'lucide-react/icons/server'
import Zap from 'lucide-react/icons/zap'
import type { Path } from '../../stores/devices'
import type { BadgeTone } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'

/** The way of a file: to a device, or through the server's copy. */
export type Way = Path | 'stored'

export const PATHS: Readonly<Record<Way, { label: string; icon: Glyph; tone: BadgeTone }>> = {
  direct: { label: 'Direct', icon: Zap, tone: 'ok' },
  turn: { label: 'via TURN', icon: Router, tone: 'accent' },
  relay: { label: 'via server', icon: Server, tone: 'warn' },
  stored: { label: 'Stored', icon: HardDrive, tone: 'plain' },
}
