import { t } from '@lingui/core/macro'
import Hourglass from 'lucide-react/icons/hourglass'
import { useStore } from 'zustand'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { useDeviceCount, useHasItems, useSession } from './beam'
import css from './nobody-yet.module.css'

/** Shown to a device that joined a beam in which nobody is: by a mistyped id, or too early. */
export function NobodyYet() {
  const { connection, access, keeping } = useApp().stores
  const isJoined = useSession()?.beamKey === null
  const isLive = useStore(connection, ({ status }) => status === 'live')
  const isUnsaved = useStore(access, ({ kind }) => kind === 'unsaved')
  const isForgotten = useStore(keeping, (state) => state.isForgotten)
  const isEmpty = !useHasItems()
  const isAlone = useDeviceCount() === 1
  if (!(isJoined && isLive && isUnsaved && isEmpty && isAlone) || isForgotten) return null
  return (
    <p className={css.line} role="status">
      <Icon of={Hourglass} size={16} />
      {t`Nobody is here yet. This page waits. Is the ID right?`}
    </p>
  )
}
