import { t } from '@lingui/core/macro'
import ChevronLeft from 'lucide-react/icons/chevron-left'
import ChevronRight from 'lucide-react/icons/chevron-right'
import Copy from 'lucide-react/icons/copy'
import { useEffect, useEffectEvent, useState } from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { ViewOrder } from '../../stores/full-view'
import { Dialog } from '../../ui/dialog'
import { forward } from '../../ui/direction'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'
import { AudioPlayer } from '../card/audio-player'
import { NotSealed } from '../item/not-sealed'
import type { ShownFile } from '../item/shown-as'
import { DownloadLink } from '../transfer/download-link'
import { CannotShow } from './cannot-show'
import css from './full-view.module.css'
import { type Position, positionOf, useGallery } from './gallery'
import { PdfView } from './pdf-view'
import { TextView } from './text-view'
import { ZoomablePicture } from './zoomable-picture'

/** Shows a file as large as the window allows, with the way to the others. It closes when the file is deleted. */
export function FullView({ id, order }: { id: ItemId; order: ViewOrder }) {
  const { actions, stores } = useApp()
  const item = useStore(stores.items, ({ items }) => items.find((one) => one.id === id))
  const gallery = useGallery(order)
  const position = positionOf(gallery, id)
  const isGone = position === null
  useEffect(() => {
    if (isGone) actions.closeFull()
  }, [isGone, actions])
  const step = (by: 1 | -1) => {
    const to = by === 1 ? position?.next : position?.previous
    if (to) actions.showFull(to, order)
  }
  // The next file is where the texts of the page go on.
  const stepRight = (by: 1 | -1) => step(by === forward() ? 1 : -1)
  useArrowKeys(stepRight)
  if (!position) return null
  const { file, number } = position
  const count = gallery.length
  const place = count > 1 ? t`${number} of ${count}` : null
  return (
    <Dialog title={file.name} {...(place && { sub: place })} width="window" cross onClose={actions.closeFull}>
      {item && <NotSealed items={[item]} />}
      <Stage key={id} file={file} onStep={stepRight} />
      {count > 1 && <Steps position={position} onStep={step} />}
      <div className={css.tools}>
        {file.as === 'image' && (
          <IconButton icon={Copy} label={t`Copy`} onClick={() => void actions.copyItem(id)} />
        )}
        <DownloadLink id={file.id} url={file.url} name={file.name} look="bar" iconSize={18} />
      </div>
      <p className="visually-hidden" role="status">
        {place && `${file.name}, ${place}`}
      </p>
    </Dialog>
  )
}

function Steps({ position, onStep }: { position: Position; onStep: (by: 1 | -1) => void }) {
  return (
    <>
      <IconButton
        icon={ChevronLeft}
        label={t`Previous`}
        look="plain"
        className={css.previous}
        disabled={position.previous === null}
        onClick={() => onStep(-1)}
      />
      <IconButton
        icon={ChevronRight}
        label={t`Next`}
        look="plain"
        className={css.next}
        disabled={position.next === null}
        onClick={() => onStep(1)}
      />
    </>
  )
}

function Stage({ file, onStep }: { file: ShownFile; onStep: (by: 1 | -1) => void }) {
  const [broken, setBroken] = useState(false)
  const onBroken = () => setBroken(true)
  if (broken) return <CannotShow>{t`This browser cannot show the file.`}</CannotShow>
  const { name } = file
  switch (file.as) {
    case 'image':
      return <ZoomablePicture url={file.url} name={name} onStep={onStep} onBroken={onBroken} />
    case 'video':
      return (
        <div className={css.stage}>
          {/* biome-ignore lint/a11y/useMediaCaption: a video that somebody shares comes without captions */}
          <video
            className={css.shown}
            src={file.url}
            aria-label={name}
            controls
            autoPlay
            loop
            playsInline
            onError={onBroken}
          />
        </div>
      )
    case 'audio':
      return (
        <div className={css.stage}>
          <div className={css.audio}>
            <AudioPlayer url={file.url} name={name} tone="page" onBroken={onBroken} />
          </div>
        </div>
      )
    case 'pdf':
      return <PdfView file={file} />
    case 'text':
      return <TextView file={file} />
  }
}

/** Calls `onStep` with 1 for the right arrow and -1 for the left, unless the focus is on something that uses these keys. */
function useArrowKeys(onStep: (by: 1 | -1) => void) {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    if (event.target instanceof Element && event.target.closest('input, video, audio')) return
    if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
    event.preventDefault()
    onStep(event.key === 'ArrowRight' ? 1 : -1)
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => onKey(event)
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}
