import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import type { DeviceId } from '../../protocol/bindings'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import { useMayShare } from '../session/beam'
import css from './plain-device.module.css'

/** Lets a person send what is shared here to a device that cannot open what is sealed, below its row. */
export function PlainDevice({ id }: { id: DeviceId }) {
  const { stores, actions } = useApp()
  const isSentTo = useStore(stores.clearCopies, ({ to }) => to.has(id))
  const mayShare = useMayShare()
  return (
    <div className={css.plain} data-sent={isSentTo || undefined}>
      <p>
        {isSentTo
          ? t`What you share is sent to it unencrypted too, so the server can read all of it.`
          : t`It cannot read what is shared here. If you send to it too, the server can read all that you share from then on.`}
      </p>
      {mayShare && (
        <Button size="sm" look="quiet" onClick={() => actions.sendInClear(id, !isSentTo)}>
          {isSentTo ? t`Stop sending to this device` : t`Also send to this device`}
        </Button>
      )}
    </div>
  )
}
