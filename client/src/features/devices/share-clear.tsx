import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { useApp } from '../actions'
import { useMayShare } from '../session/beam'

/** Lets a person share in clear text where nobody could say whether the beam is encrypted (E11). */
export function ShareClear() {
  const { stores, actions } = useApp()
  const isOffered = useStore(stores.encryption, (state) => state.kind === 'locked' && state.mayShareClear)
  const mayShare = useMayShare()
  if (!isOffered || !mayShare) return null
  return (
    <>
      <p>{t`You can also share unencrypted. Then the server can read what you share.`}</p>
      <Button size="sm" look="quiet" onClick={() => actions.shareClear()}>
        {t`Share unencrypted`}
      </Button>
    </>
  )
}
