import Download from 'lucide-react/icons/download'
import { useStore } from 'zustand'
import { whyGone } from '../../stores/connection'
import { offeredHere } from '../../stores/transfers'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { useApp } from '../actions'
import css from './receive-all.module.css'

/** Receives every file that is offered to this device. A single one has its own button. */
export function ReceiveAll({ on }: { on: 'canvas' | 'list' }) {
  const { stores, actions } = useApp()
  const count = useStore(stores.transfers, (state) => offeredHere(state).length)
  const isGone = useStore(stores.connection, whyGone) !== null
  if (count < 2 || isGone) return null
  return (
    <Button
      look={on === 'canvas' ? 'plain' : 'soft'}
      icon={Download}
      className={cx(css.all, css[on])}
      onClick={() => actions.receiveAll()}
    >
      Receive all {count} files
    </Button>
  )
}
