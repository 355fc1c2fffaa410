/** The label and the icon of each way to a device or a file. */
import { t } from '@lingui/core/macro'
import HardDrive from 'lucide-react/icons/hard-drive'
import Router from 'lucide-react/icons/router'
import Server from 'lucide-react/icons/server'
import Zap from 'lucide-react/icons/zap'
import type { Path } from '../../stores/devices'
import type { BadgeTone } from '../../ui/badge'
import type { Glyph } from '../../ui/icon'

/** The way of a file: to a device, or through the server's copy. */
export type Way = Path | 'stored'

/** The labels are looked up while they are drawn. */
export const PATHS: Readonly<Record<Way, { readonly label: string; icon: Glyph; tone: BadgeTone }>> = {
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
