import { t } from '@lingui/core/macro'
import ScanQrCode from 'lucide-react/icons/scan-qr-code'
import { Suspense, useState } from 'react'
import { Button } from '../../ui/button'
import { lazyPart } from '../../ui/lazy-part'

const Scanner = lazyPart(
  () => import('./scanner'),
  (m) => m.Scanner,
)

/** Opens the scanner, whose code is loaded on the first press. `onJoined` is called when a scan led into a beam. */
export function ScanButton({
  look,
  size,
  onJoined,
}: {
  look: 'primary' | 'quiet'
  size: 'md' | 'lg'
  onJoined?: () => void
}) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button look={look} size={size} icon={ScanQrCode} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {t`Scan QR`}
      </Button>
      {open && (
        <Suspense>
          <Scanner onJoined={onJoined} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
