import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { opensSealed } from '../../protocol/beam-link'
import { useApp } from '../actions'
import { useBeamLink } from '../session/beam'
import { SecureAddress } from '../session/secure-address'
import css from './closed-link.module.css'

/** Says of a sealed beam that its link leads to where nothing of it can be opened (E1), as after the operator changed the address. */
export function ClosedLink() {
  const isSealed = useStore(useApp().stores.encryption, ({ kind }) => kind === 'sealed')
  const link = useBeamLink()
  if (!isSealed || link === null || opensSealed(link)) return null
  return (
    <p className={css.words}>
      {t`The link leads to a page without https, where devices cannot open this beam.`} <SecureAddress />
    </p>
  )
}
