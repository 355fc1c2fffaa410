import { t } from '@lingui/core/macro'
import type { ComponentProps } from 'react'
import { IconButton } from '../../ui/icon-button'
import { PauseGlyph, PlayGlyph } from '../../ui/play-glyphs'
import type { FileRow } from './file-view'

interface PauseButtonProps extends Pick<ComponentProps<typeof IconButton>, 'look' | 'iconSize'> {
  actions: FileRow['actions']
  /** Whether it is about several transfers. */
  all?: boolean
  onAct: (action: 'pause' | 'resume') => void
}

/** Pauses what moves, or goes on with what is paused; nothing where neither is possible. */
export function PauseButton({ actions, all = false, onAct, ...look }: PauseButtonProps) {
  if (actions.includes('pause')) {
    const label = all ? t`Pause all` : t`Pause`
    return <IconButton icon={PauseGlyph} label={label} {...look} onClick={() => onAct('pause')} />
  }
  if (!actions.includes('resume')) return null
  const label = all ? t`Resume all` : t`Resume`
  return <IconButton icon={PlayGlyph} label={label} {...look} onClick={() => onAct('resume')} />
}
