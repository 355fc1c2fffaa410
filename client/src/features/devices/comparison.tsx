import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import type { Device } from '../../protocol/bindings'
import { deviceName } from '../../stores/devices'
import type { Trust } from '../../stores/trust'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import css from './comparison.module.css'
import { Pictures } from './pictures'

interface ComparisonProps {
  device: Pick<Device, 'device_id'>
  trust: Trust
  /** Removes the device; null where this one may not. */
  onRemove: (() => void) | null
}

/** Lets a person compare what this device shows with what another one does, below its row. */
export function Comparison({ device, trust, onRemove }: ComparisonProps) {
  const { stores, actions } = useApp()
  const isIn = useStore(stores.encryption, ({ kind }) => kind === 'sealed')
  const name = useStore(stores.devices, (state) => deviceName(state, device.device_id))
  const isAsking = trust.state === 'asking'
  return (
    <div className={css.comparison}>
      <Pictures signs={trust.signs} />
      <p className={css.question}>
        {isIn
          ? t`Does it show the same four pictures?`
          : t`Compare these pictures with those on ${name}. A person there lets this device in.`}
      </p>
      {isIn && !isAsking && !onRemove && (
        <p className={css.otherwise}>{t`If not, leave this beam: someone in between may be reading it.`}</p>
      )}
      {isIn && (
        <div className={css.answers}>
          <Button size="sm" look="primary" onClick={() => actions.confirmDevice(device.device_id)}>
            {isAsking ? t`They match, let it in` : t`They match`}
          </Button>
          {isAsking ? (
            <Button size="sm" look="quiet" onClick={() => actions.refuseDevice(device.device_id)}>
              {t`Refuse`}
            </Button>
          ) : (
            onRemove && (
              <Button size="sm" look="quiet" onClick={onRemove}>
                {t`Remove`}
              </Button>
            )
          )}
        </div>
      )}
    </div>
  )
}
