import File from 'lucide-react/icons/file'
import Folder from 'lucide-react/icons/folder'
import Link from 'lucide-react/icons/link'
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
  const { actions } = useApp()
  const then = (act: () => void) => () => {
    onClose()
    act()
  }
  return (
    <Menu
      label="Share"
      items={[
        { label: 'Files', icon: File, onSelect: then(onFiles) },
        ...(onFolder ? [{ label: 'Folder', icon: Folder, onSelect: then(onFolder) }] : []),
        { label: 'Copy link', icon: Link, onSelect: then(() => void actions.copyLink()) },
      ]}
    />
  )
}
