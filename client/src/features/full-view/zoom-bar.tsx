import { t } from '@lingui/core/macro'
import Minus from 'lucide-react/icons/minus'
import Plus from 'lucide-react/icons/plus'
import Maximize from 'lucide-react/icons/scan'
import { useEffect, useEffectEvent } from 'react'
import { IconButton } from '../../ui/icon-button'
import css from './zoom-bar.module.css'

interface ZoomBarProps {
  /** 1 is the own size. */
  scale: number
  onZoom: (factor: number) => void
  onFull: () => void
  onFit: () => void
}

/** The factor of one press. */
const STEP = 1.25

/** The zoom buttons of the full view, and their keys: + and −, 1 for the own size, 0 to fit. */
export function ZoomBar(props: ZoomBarProps) {
  const { scale, onZoom, onFull, onFit } = props
  useZoomKeys(props)
  const percent = Math.round(scale * 100)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label={t`Zoom`} className={css.bar}>
      <IconButton icon={Minus} label={t`Zoom out`} onClick={() => onZoom(1 / STEP)} />
      <button
        type="button"
        className={css.percent}
        aria-label={t`Zoom ${percent} %, to 100 %`}
        title={t`To 100 %`}
        onClick={onFull}
      >
        {t`${percent} %`}
      </button>
      <IconButton icon={Plus} label={t`Zoom in`} onClick={() => onZoom(STEP)} />
      <IconButton icon={Maximize} label={t`Fit`} onClick={onFit} />
    </div>
  )
}

function useZoomKeys({ onZoom, onFull, onFit }: ZoomBarProps) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    switch (event.key) {
      case '+':
      case '=':
        return onZoom(STEP)
      case '-':
        return onZoom(1 / STEP)
      case '1':
        return onFull()
      case '0':
        return onFit()
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
