import { t } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import type { ItemId } from '../../protocol/bindings'
import { IconButton, IconLink } from '../../ui/icon-button'
import { useApp } from '../actions'
import { useIsSaving, useSaveHere } from './save-link'

/**
 * A download by the browser, into its own folder and with its own progress, or into the folder that the person keeps. A file
 * without an address comes first.
 */
export function DownloadLink({
  id,
  url,
  name,
  look,
  iconSize = 16,
}: {
  id: ItemId
  url: string | null
  name: string
  look: 'bar' | 'small' | 'well'
  iconSize?: number
}) {
  const { actions } = useApp()
  const isSaving = useIsSaving(id)
  const saveHere = useSaveHere(id)
  const label = isSaving ? t`Saving...` : t`Download`
  const props = { icon: Download, label, 'aria-disabled': isSaving || undefined, look, iconSize }
  if (url === null) return <IconButton {...props} onClick={() => void actions.saveHere(id)} />
  return <IconLink href={url} download={name} onClick={saveHere} {...props} />
}
