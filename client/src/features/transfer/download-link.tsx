import { t } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import type { ItemId } from '../../protocol/bindings'
import { IconLink } from '../../ui/icon-button'
import { useIsSaving, useSaveHere } from './save-link'

/** A download by the browser, into its own folder and with its own progress, or into the folder that the person keeps. */
export function DownloadLink({
  id,
  url,
  name,
  look,
  iconSize = 16,
}: {
  id: ItemId
  url: string
  name: string
  look: 'bar' | 'small' | 'well'
  iconSize?: number
}) {
  const isSaving = useIsSaving(id)
  return (
    <IconLink
      href={url}
      download={name}
      onClick={useSaveHere(id)}
      icon={Download}
      label={isSaving ? t`Saving...` : t`Download`}
      aria-disabled={isSaving || undefined}
      look={look}
      iconSize={iconSize}
    />
  )
}
