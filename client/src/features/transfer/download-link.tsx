import { t } from '@lingui/core/macro'
import Download from 'lucide-react/icons/download'
import { IconLink } from '../../ui/icon-button'

/** A download by the browser, into its own folder and with its own progress. */
export function DownloadLink({
  url,
  name,
  look,
  iconSize = 16,
}: {
  url: string
  name: string
  look: 'bar' | 'small' | 'well'
  iconSize?: number
}) {
  return (
    <IconLink
      href={url}
      download={name}
      icon={Download}
      label={t`Download`}
      look={look}
      iconSize={iconSize}
    />
  )
}
