import { t } from '@lingui/core/macro'
import { useRef, useState } from 'react'
import { cx } from '../../ui/cx'
import { IconButton } from '../../ui/icon-button'
import { PauseGlyph, PlayGlyph } from '../../ui/play-glyphs'
import { formatClock } from '../transfer/format-duration'
import css from './audio-player.module.css'

interface AudioPlayerProps {
  url: string
  name: string
  tone: 'note' | 'page'
  onBroken: () => void
}

/**
 * A small player with play and pause, a slider and the length as m:ss. A double click toggles; at the end it resets.
 */
export function AudioPlayer({ url, name, tone, onBroken }: AudioPlayerProps) {
  const ref = useRef<HTMLAudioElement>(null)
  const [playing, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(0)
  const toggle = () => {
    const audio = ref.current
    if (!audio) return
    if (audio.paused) audio.play().catch(onBroken)
    else audio.pause()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={name}
      className={cx(css.player, css[tone])}
      onDoubleClick={(event) => {
        const part = event.target instanceof Element ? event.target : null
        if (!part?.closest('button, input')) toggle()
      }}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: a recording that somebody shares comes without captions */}
      <audio
        ref={ref}
        src={url}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onDurationChange={(event) => setLength(event.currentTarget.duration)}
        onEnded={() => setAt(0)}
        onError={onBroken}
      />
      <IconButton
        icon={playing ? PauseGlyph : PlayGlyph}
        label={playing ? t`Pause` : t`Play`}
        look="solid"
        className={css.toggle}
        iconSize={17}
        onClick={toggle}
      />
      <div className={css.track}>
        <input
          type="range"
          aria-label={t`Position in ${name}`}
          aria-valuetext={formatClock(at)}
          min={0}
          max={Number.isFinite(length) && length > 0 ? length : 1}
          step={0.1}
          value={at}
          onChange={(event) => {
            if (ref.current) ref.current.currentTime = event.currentTarget.valueAsNumber
          }}
        />
        <div className={css.times}>
          <span>{formatClock(at)}</span>
          <span>{length > 0 && formatClock(length)}</span>
        </div>
      </div>
    </div>
  )
}
