import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { isSecureLink } from '../../protocol/beam-link'
import { useApp } from '../actions'
import { SecureAddress } from '../session/secure-address'
import css from './device-list.module.css'

/** Says why a beam is not encrypted: its link leads to a page without https (E1), or nobody here has a key of it (E11). */
export function ClearReason() {
  const { stores } = useApp()
  const isClear = useStore(stores.encryption, ({ kind }) => kind === 'clear')
  const isSecure = useStore(stores.site, ({ site }) => isSecureLink(site, location))
  if (!isClear) return null
  if (isSecure)
    return (
      <p className={css.promise}>
        {t`Nothing here is encrypted: no device that answers has a key of this beam. A new beam is encrypted.`}
      </p>
    )
  return (
    <p className={css.promise}>
      {t`Nothing here is encrypted: the link leads to a page without https, where devices could not read it.`}{' '}
      <SecureAddress />
    </p>
  )
}
