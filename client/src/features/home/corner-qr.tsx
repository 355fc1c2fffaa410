import { t } from '@lingui/core/macro'
import Copy from 'lucide-react/icons/copy'
import { useDeferredValue } from 'react'
import { Icon } from '../../ui/icon'
import { QrCode } from '../../ui/qr-code'
import { useApp } from '../actions'
import { useBeamLink } from '../session/beam'
import css from './corner-qr.module.css'

/** The small QR code in the corner. A click shows it large; the button that appears on it copies the beam's id. */
export function CornerQr() {
  const { stores, actions } = useApp()
  // Drawing the code takes as long as the rest of the page, so the items are shown first.
  const link = useDeferredValue(useBeamLink(), null)
  if (!link) return null
  return (
    <div className={css.corner}>
      <button
        type="button"
        className={css.code}
        aria-label={t`Show QR`}
        title={t`Show QR`}
        aria-haspopup="dialog"
        onClick={() => stores.beamDialog.setState({ kind: 'code' }, true)}
      >
        <QrCode value={link} size="corner" />
      </button>
      <button
        type="button"
        className={css.over}
        aria-label={t`Copy beam ID`}
        onClick={() => void actions.copyBeamId()}
      >
        <Icon of={Copy} size={16} />
        {t`Copy`}
      </button>
    </div>
  )
}
