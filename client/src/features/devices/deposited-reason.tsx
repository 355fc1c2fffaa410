import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { useApp } from '../actions'
import css from './device-list.module.css'

/** Says why nothing is claimed of a sealed beam: the server has or had its keys, because it was saved by a person without a vault (E9). */
export function DepositedReason() {
  const { encryption, access } = useApp().stores
  const isSaved = useStore(access, ({ kind }) => kind === 'saved')
  const isDeposited = useStore(encryption, (state) => state.kind === 'sealed' && state.isDeposited)
  if (!isSaved || !isDeposited) return null
  return (
    <p className={css.promise}>
      {t`The people who run the server could read what was shared here without a vault.`}
    </p>
  )
}
