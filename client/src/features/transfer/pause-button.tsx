import { t } from '@lingui/core/macro'
import type { ComponentProps } from 'react'
import { Button } from '../../ui/button'
import type { Glyph } from '../../ui/icon'
import { IconButton } from '../../ui/icon-button'
import { TAKES_FOCUS } from '../../ui/kept-focus'
import { PauseGlyph, PlayGlyph } from '../../ui/play-glyphs'
import type { FileRow } from './file-view'

interface PauseProps {
  actions: FileRow['actions']
  /** Whether it is about several transfers. */
  all?: boolean
  onAct: (action: 'pause' | 'resume') => void
}

interface Turn {
  readonly action: 'pause' | 'resume'
  readonly icon: Glyph
  readonly label: string
}

/** Returns what pauses, or goes on with what is paused; null where neither is possible. */
function turnOf(actions: FileRow['actions'], all: boolean): Turn | null {
  if (actions.includes('pause'))
    return { action: 'pause', icon: PauseGlyph, label: all ? t`Pause all` : t`Pause` }
  if (!actions.includes('resume')) return null
  return { action: 'resume', icon: PlayGlyph, label: all ? t`Resume all` : t`Resume` }
}

/** The button beside a transfer. */
export function PauseButton({
  actions,
  all = false,
  onAct,
  ...look
}: PauseProps & Pick<ComponentProps<typeof IconButton>, 'look' | 'iconSize'>) {
  const turn = turnOf(actions, all)
  if (!turn) return null
  return (
    <IconButton
      {...TAKES_FOCUS}
      icon={turn.icon}
      label={turn.label}
      {...look}
      onClick={() => onAct(turn.action)}
    />
  )
}

/** The same in words, for the foot of a dialog. */
export function WordedPauseButton({ actions, all = false, onAct }: PauseProps) {
  const turn = turnOf(actions, all)
  if (!turn) return null
  return (
    <Button {...TAKES_FOCUS} look="quiet" icon={turn.icon} onClick={() => onAct(turn.action)}>
      {turn.label}
    </Button>
  )
}
