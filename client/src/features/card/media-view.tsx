import { t } from '@lingui/core/macro'
import Volume2 from 'lucide-react/icons/volume-2'
import VolumeOff from 'lucide-react/icons/volume-x'
import { useState } from 'react'
import type { Media } from '../../protocol/magic'
import { Icon } from '../../ui/icon'
import { AudioPlayer } from './audio-player'
import css from './media-view.module.css'

interface MediaViewProps {
  media: Media
  url: string
  name: string
  tone: 'note' | 'page'
  /** Called when the browser cannot show it. */
  onBroken: () => void
}

/** A picture or a video, scaled by CSS only, or a recording as a small player. */
export function MediaView({ media, url, name, tone, onBroken }: MediaViewProps) {
  if (media === 'audio') return <AudioPlayer url={url} name={name} tone={tone} onBroken={onBroken} />
  if (media === 'video') return <SilentVideo url={url} name={name} onBroken={onBroken} />
  return (
    <img className={css.media} src={url} alt={name} decoding="async" draggable={false} onError={onBroken} />
  )
}

/** Plays in a loop by itself, muted until the person unmutes it. */
function SilentVideo({ url, name, onBroken }: Pick<MediaViewProps, 'url' | 'name' | 'onBroken'>) {
  const [muted, setMuted] = useState(true)
  return (
    <div className={css.video}>
      <video
        className={css.media}
        src={url}
        aria-label={name}
        muted={muted}
        autoPlay
        loop
        playsInline
        onError={onBroken}
      />
      <button type="button" className={css.sound} aria-pressed={!muted} onClick={() => setMuted(!muted)}>
        <Icon of={muted ? VolumeOff : Volume2} size={14} />
        {t`Sound`}
      </button>
    </div>
  )
}
