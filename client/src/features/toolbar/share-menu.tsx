import { t } from '@lingui/core/macro'
import File from 'lucide-react/icons/file'
import Folder from 'lucide-react/icons/folder'
import Link from 'lucide-react/icons/link'
import QrCode from 'lucide-react/icons/qr-code'
import { Menu } from '../../ui/menu'
import { useApp } from '../actions'

export function ShareMenu({
  onFiles,
  onFolder,
  onClose,
}: {
  onFiles: () => void
  /** Null where the browser cannot pick folders. */
  onFolder: (() => void) | null
  onClose: () => void
}) {
  const { actions, stores } = useApp()
  const then = (act: () => void) => () => {
    onClose()
    act()
  }
  return (
    <Menu
      label={t`Share`}
      items={[
        { label: t`Files`, icon: File, onSelect: then(onFiles) },
        ...(onFolder ? [{ label: t`Folder`, icon: Folder, onSelect: then(onFolder) }] : []),
        { label: t`Copy link`, icon: Link, onSelect: then(() => void actions.copyLink()) },
        {
          label: t`Show QR`,
          icon: QrCode,
          onSelect: then(() => stores.beamDialog.setState({ kind: 'code' }, true)),
        },
      ]}
    />
  )
}
