import { t } from '@lingui/core/macro'
import { useEffect, useState } from 'react'
import { CertificatePage } from '../../features/certificate/certificate-page'
import type { OwnCertificate } from '../../protocol/bindings'
import { readCertificate } from '../../transport/http'
import { Loading } from '../shell/loading'
import { usePageTitle } from '../shell/page-title'
import { ViewportShell } from '../shell/viewport-shell'

type Read =
  | { status: 'reading' }
  | { status: 'failed'; why: unknown }
  | { status: 'read'; certificate: OwnCertificate | null }

/** The page about the server's own certificate. It is read when the page is opened. */
export function CertificateRoute() {
  usePageTitle(t`The certificate warning`)
  const [read, setRead] = useState<Read>({ status: 'reading' })
  useEffect(() => {
    let isCurrent = true
    readCertificate().then(
      (certificate) => isCurrent && setRead({ status: 'read', certificate }),
      (why: unknown) => isCurrent && setRead({ status: 'failed', why }),
    )
    return () => {
      isCurrent = false
    }
  }, [])
  // The error screen offers to try again.
  if (read.status === 'failed') throw read.why
  if (read.status === 'reading') return <Loading />
  return (
    <ViewportShell>
      <CertificatePage certificate={read.certificate} />
    </ViewportShell>
  )
}
