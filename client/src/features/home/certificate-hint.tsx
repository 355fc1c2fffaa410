import { t } from '@lingui/core/macro'
import { Link } from 'react-router'
import { useStore } from 'zustand'
import { useApp } from '../actions'
import { paths } from '../paths'
import { useBeamLink } from '../session/beam'
import css from './certificate-hint.module.css'

/** Below the QR code: the phone that scans it will warn about the certificate that the server made itself. */
export function CertificateHint() {
  const isOwn = useStore(useApp().stores.site, ({ site }) => site?.self_signed === true)
  const link = useBeamLink()
  if (!(isOwn && link?.startsWith('https://'))) return null
  return (
    <p className={css.hint}>
      {t`The phone will warn about the certificate.`} <Link to={paths.certificate}>{t`What to do`}</Link>
    </p>
  )
}
