import { t } from '@lingui/core/macro'
import Clock from 'lucide-react/icons/clock'
import { useState } from 'react'
import { useStore } from 'zustand'
import { deviceName } from '../../stores/devices'
import { Button } from '../../ui/button'
import { ConfirmDialog } from '../../ui/confirm-dialog'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import { useKeptUntil, useMayEndKeeping } from '../session/keeping'
import css from './kept-row.module.css'

/** Says until when the beam is kept and by whose wish, and ends that. Nothing for a beam that is not kept. */
export function KeptRow() {
  const { actions } = useApp()
  const until = useKeptUntil()
  const who = useWho()
  const mayEnd = useMayEndKeeping()
  const [asks, setAsks] = useState(false)
  if (until === null) return null
  return (
    <section className={css.row} aria-label={t`Keeping`}>
      <Icon of={Clock} size={20} />
      <div className={css.words}>
        <p className={css.until}>{t`Kept until ${until}`}</p>
        <p className={css.who}>
          {t`The server stores what is here.`} {who}
        </p>
      </div>
      {mayEnd && (
        <Button size="sm" aria-label={t`Stop keeping`} onClick={() => setAsks(true)}>
          {t`Stop`}
        </Button>
      )}
      {asks && (
        <ConfirmDialog
          title={t`Stop keeping`}
          question={t`Are you sure you want to delete what the server has stored of this beam?`}
          warning={t`What is shared here then goes a minute after the last device leaves. Files that no device has are lost.`}
          action={t`Stop keeping`}
          onConfirm={() => actions.keepBeam(null)}
          onClose={() => setAsks(false)}
        />
      )}
    </section>
  )
}

/** Whose wish it was, in a sentence. */
function useWho(): string {
  const { keeping, devices } = useApp().stores
  const by = useStore(keeping, ({ kept }) => kept?.by ?? null)
  return useStore(devices, (state) => {
    if (by === null) return ''
    if (by === state.me) return t`You asked for it.`
    const device = deviceName(state, by)
    return t`${device} asked for it.`
  })
}
