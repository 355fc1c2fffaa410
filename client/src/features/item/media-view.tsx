import { useState } from 'react'
import { AudioPlayer } from './audio-player'
import type { Media } from './describe'
import css from './media-view.module.css'

/** A picture or a video as it is, scaled by CSS only; a recording as a small player. */
export function MediaView({
  media,
  url,
  name,
  tone,
  onBroken,
}: {
  media: Media
  url: string
  name: string
  tone: 'note' | 'page'
  /** The browser cannot show it. */
  onBroken: () => void
}) {
  if (media === 'audio') return <AudioPlayer url={url} name={name} tone={tone} onBroken={onBroken} />
  if (media === 'image') return <img className={css.media} src={url} alt={name} onError={onBroken} />
  return (
    <video
      className={css.media}
      src={url}
      aria-label={name}
      muted
      autoPlay
      loop
      playsInline
      controls
      onError={onBroken}
    />
  )
}

/** Whether the browser turned out not to understand the file; then its card stays a file card. */
export function useBroken(): [boolean, () => void] {
  const [broken, setBroken] = useState(false)
  return [broken, () => setBroken(true)]
}
