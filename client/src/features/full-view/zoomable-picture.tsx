import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import type { Point } from '../../stores/canvas'
import css from './full-view.module.css'
import { type Meant, PictureGestures } from './picture-gestures'
import { useSize } from './use-size'
import { fitScale, fitted, isFitted, panned, type Size, scaled, toggled, type Zoom } from './zoom'
import { ZoomBar } from './zoom-bar'

interface ZoomablePictureProps {
  url: string
  name: string
  onStep: (by: 1 | -1) => void
  onBroken: () => void
}

/** Wheel steps of 100, as most mice report them, zoom by about a quarter. */
const WHEEL_FACTOR = 0.0022
const MIDDLE: Point = { x: 0, y: 0 }

/** A picture that can be zoomed and moved by the wheel, fingers, the mouse and keys. It begins as a whole. */
export function ZoomablePicture({ url, name, onStep, onBroken }: ZoomablePictureProps) {
  const stage = useRef<HTMLDivElement>(null)
  const room = useSize(stage)
  const [picture, setPicture] = useState<Size | null>(null)
  // Null fits the stage, also when its size changes.
  const [own, setOwn] = useState<Zoom | null>(null)
  const [gestures] = useState(() => new PictureGestures())
  const scene = room && picture && { picture, stage: room }
  const zoom = scene && (own ?? fitted(scene))
  const put = (next: Zoom) => scene && setOwn(isFitted(next, scene) ? null : next)
  const zoomBy = (factor: number, at = MIDDLE) => {
    if (zoom && scene) put(scaled(zoom, zoom.scale * factor, at, scene))
  }
  const act = (meant: Meant) => {
    // Also past a picture that is still being loaded.
    if (meant.do === 'step') onStep(meant.by)
    if (!zoom || !scene) return
    if (meant.do === 'pan') put(panned(zoom, meant.by, scene))
    if (meant.do === 'pinch')
      put(panned(scaled(zoom, zoom.scale * meant.factor, meant.at, scene), meant.by, scene))
    if (meant.do === 'toggle') put(toggled(zoom, meant.at, scene))
  }
  useWheel(stage, (event) => zoomBy(Math.exp(-event.deltaY * WHEEL_FACTOR), pointOn(stage.current, event)))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the buttons and the keys of the zoom bar do the same
    <div
      ref={stage}
      className={css.stage}
      data-zoomed={own !== null || undefined}
      onPointerDown={(event) => {
        if (event.button !== 0 || (event.target as Element).closest('button')) return
        event.currentTarget.setPointerCapture(event.pointerId)
        gestures.down(event.pointerId, pointOn(stage.current, event))
      }}
      onPointerMove={(event) => act(gestures.move(event.pointerId, pointOn(stage.current, event)))}
      onPointerUp={(event) => {
        const swipes = own === null && event.pointerType !== 'mouse'
        act(gestures.up(event.pointerId, pointOn(stage.current, event), event.timeStamp, swipes))
      }}
      onPointerCancel={(event) => gestures.cancel(event.pointerId)}
      onDragStart={(event) => event.preventDefault()}
    >
      <img
        className={zoom ? css.zoomed : css.shown}
        style={
          zoom && picture
            ? {
                width: picture.width * zoom.scale,
                height: picture.height * zoom.scale,
                translate: `${zoom.x}px ${zoom.y}px`,
              }
            : undefined
        }
        src={url}
        alt={name}
        onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) =>
          width > 0 && height > 0 && setPicture({ width, height })
        }
        onError={onBroken}
      />
      {zoom && scene && (
        <ZoomBar
          scale={zoom.scale}
          onZoom={zoomBy}
          onFull={() => put(scaled(zoom, Math.max(1, fitScale(scene)), MIDDLE, scene))}
          onFit={() => setOwn(null)}
        />
      )}
    </div>
  )
}

/** React's own listener is passive and could not keep the browser from zooming the page. */
function useWheel(ref: React.RefObject<HTMLElement | null>, onWheel: (event: WheelEvent) => void) {
  const latest = useEffectEvent(onWheel)
  const listen = useCallback((event: WheelEvent) => {
    event.preventDefault()
    latest(event)
  }, [])
  useEffect(() => {
    const element = ref.current
    element?.addEventListener('wheel', listen, { passive: false })
    return () => element?.removeEventListener('wheel', listen)
  }, [ref, listen])
}

/** Returns a pointer's place, in CSS px from the middle of the stage. */
function pointOn(
  stage: HTMLElement | null,
  { clientX, clientY }: { clientX: number; clientY: number },
): Point {
  const box = stage?.getBoundingClientRect()
  if (!box) return MIDDLE
  return { x: clientX - box.left - box.width / 2, y: clientY - box.top - box.height / 2 }
}
