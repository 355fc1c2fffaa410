/** How a device or its file is reached, in one word and one icon each. */
import HardDrive from 'lucide-react/icons/hard-drive'
import Router from 'lucide-react/icons/router'
import Server from 'lucide-react/icons/server'
import Zap from 'lucide-react/icons/zap'
import type { Path } from '../../stores/devices'
import type { BadgeTone } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'

/** The way of a file: to a device, or by the copy that the server keeps. */
export type Way = Path | 'stored'

export const PATHS: Readonly<Record<Way, { label: string; icon: Glyph; tone: BadgeTone }>> = {
  direct: { label: 'Direct', icon: Zap, tone: 'ok' },
  turn: { label: 'via TURN', icon: Router, tone: 'accent' },
  relay: { label: 'via server', icon: Server, tone: 'warn' },
  stored: { label: 'Stored', icon: HardDrive, tone: 'plain' },
}
