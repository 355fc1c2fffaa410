import { t } from '@lingui/core/macro'
import ImageIcon from 'lucide-react/icons/image'
import { type CSSProperties, useState } from 'react'
import { Icon } from '../../ui/icon'
import css from './note-picture.module.css'
import { usePictureUrl } from './picture-url'

interface PlaceProps {
  alt: string
  style: CSSProperties
}

/** A picture in a note, or a placeholder until it is here. */
export function NotePicture({ src, alt, style }: PlaceProps & { src: string }) {
  const url = usePictureUrl(src)
  const [brokenUrl, setBrokenUrl] = useState<string | null>(null)
  if (url === null || url === brokenUrl) return <PicturePlace alt={alt} style={style} />
  return <img className={css.picture} src={url} alt={alt} style={style} onError={() => setBrokenUrl(url)} />
}

/** The placeholder of a picture. */
export function PicturePlace({ alt, style }: PlaceProps) {
  return (
    <span className={css.place} style={style} role="img" aria-label={alt || t`A picture that is not here`}>
      <Icon of={ImageIcon} size={20} />
      <span aria-hidden="true">{alt || t`This picture is not here`}</span>
    </span>
  )
}
