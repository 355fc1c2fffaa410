import { t } from '@lingui/core/macro'
import Smartphone from 'lucide-react/icons/smartphone'
import { useStore } from 'zustand'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import type { FileRow } from './file-view'
import css from './screen-hint.module.css'

/** A transfer is long when so many seconds are left, or so many bytes while the time is not known. */
const LONG = { seconds: 30, bytes: 100_000_000 }

interface Transferred {
  row: Pick<FileRow, 'status' | 'bytes'>
  /** Bytes of the file. */
  size: number
  /** Seconds that are left; null while that is not known. */
  seconds: number | null
}

/** Says on a phone, before and during a long transfer, what a locked screen does to it. */
export function ScreenHint(transferred: Transferred) {
  const { power, screen } = useApp().stores
  const isTouched = useStore(power, (state) => state.isTouched)
  const staysOn = useStore(screen, (state) => state.staysOn)
  if (!isTouched || !isLong(transferred)) return null
  return (
    <p className={css.hint}>
      <Icon of={Smartphone} size={16} />
      {staysOn
        ? t`The screen stays on until this is done. If you lock it, this waits and goes on by itself.`
        : t`If the screen locks, this waits, and goes on by itself when you come back.`}
    </p>
  )
}

export function isLong({ row: { status, bytes }, size, seconds }: Transferred): boolean {
  if (status !== 'moving' && status !== 'offered' && status !== 'queued') return false
  return seconds === null ? size - (bytes ?? 0) >= LONG.bytes : seconds >= LONG.seconds
}
