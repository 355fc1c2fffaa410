/** How a device is reached, in one word and one icon each. */
import Router from 'lucide-react/icons/router'
import Server from 'lucide-react/icons/server'
import Zap from 'lucide-react/icons/zap'
import type { Path } from '../../stores/devices'
import type { BadgeTone } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'

export const PATHS: Readonly<Record<Path, { label: string; icon: Glyph; tone: BadgeTone }>> = {
  direct: { label: 'Direct', icon: Zap, tone: 'ok' },
  turn: { label: 'via TURN', icon: Router, tone: 'accent' },
  relay: { label: 'via server', icon: Server, tone: 'warn' },
}
