import Copy from 'lucide-react/icons/copy'
import { useDeferredValue } from 'react'
import { Icon } from '../../ui/icon'
import { QrCode } from '../../ui/qr-code'
import { useApp } from '../actions'
import { useBeamLink } from '../session/beam'
import css from './corner-qr.module.css'

/** The small QR code in the corner. A click copies the beam's id. */
export function CornerQr() {
  const { actions } = useApp()
  // Drawing the code takes as long as the rest of the page, so the items are shown first.
  const link = useDeferredValue(useBeamLink(), null)
  if (!link) return null
  return (
    <button
      type="button"
      className={css.corner}
      aria-label="Copy beam ID"
      onClick={() => void actions.copyBeamId()}
    >
      <QrCode value={link} size="corner" />
      <span className={css.over} aria-hidden="true">
        <Icon of={Copy} size={20} />
        Copy
      </span>
    </button>
  )
}
