import { t } from '@lingui/core/macro'
import Flashlight from 'lucide-react/icons/flashlight'
import FlashlightOff from 'lucide-react/icons/flashlight-off'
import { type RefObject, useEffect, useEffectEvent, useId, useReducer, useRef, useState } from 'react'
import { useBackCloses } from '../../ui/back-closes'
import { Button } from '../../ui/button'
import { cx } from '../../ui/cx'
import { IconButton } from '../../ui/icon-button'
import { useModal } from '../../ui/modal'
import { useApp } from '../actions'
import css from './scanner.module.css'
import { reduceScanner, type ScannerEvent, type ScannerState, wantsCamera } from './scanner-state'
import { startScanning } from './scanning'

/** How long the scanner stays visible after a code was read, in milliseconds. */
const CLOSING_MS = 200

/** The full-screen scanner, open for as long as it is rendered. Joins the beam of the first code in view. */
export function Scanner({ onJoined, onClose }: { onJoined?: (() => void) | undefined; onClose: () => void }) {
  const { actions } = useApp()
  const dialog = useRef<HTMLDialogElement>(null)
  const video = useRef<HTMLVideoElement>(null)
  const title = useId()
  const [state, tell] = useReducer(reduceScanner, { status: 'asking' })
  const torch = useCamera(video, wantsCamera(state), tell)
  const cancel = () => tell({ type: 'cancelled' })
  useModal(dialog)
  useBackCloses(true, cancel)
  useVisibility(tell)
  const join = (text: string) => {
    actions.joinBeam(text)
    onJoined?.()
  }
  useEnd(state, tell, join, onClose)
  return (
    <dialog
      ref={dialog}
      className={cx(css.scanner, state.status === 'closing' && css.closing)}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault()
        cancel()
      }}
    >
      <video ref={video} className={css.video} muted playsInline disablePictureInPicture />
      <div className={css.words}>
        <h2 id={title}>{t`Scan QR`}</h2>
        <p>{t`Point the camera at the code on the other screen.`}</p>
      </div>
      {state.status !== 'failed' && <div className={css.finder} />}
      <p className={css.hint} role="status">
        {hintOf(state)}
      </p>
      <div className={css.actions}>
        <Button size="lg" className={css.cancel} onClick={cancel}>
          {t`Cancel`}
        </Button>
        {torch && <Torch turn={torch} />}
      </div>
    </dialog>
  )
}

function hintOf(state: ScannerState): string | null {
  switch (state.status) {
    case 'asking':
      return t`Waiting for the camera…`
    case 'open':
      return state.hint
    case 'failed':
      return state.why
    case 'closing':
      return t`Joining…`
    case 'closed':
    case 'resting':
      return null
  }
}

function Torch({ turn }: { turn: (on: boolean) => Promise<void> }) {
  const [on, setOn] = useState(false)
  const toggle = () => {
    turn(!on).then(
      () => setOn(!on),
      // On failure the lamp and the button keep their state.
      () => {},
    )
  }
  return (
    <IconButton
      icon={on ? FlashlightOff : Flashlight}
      label={on ? t`Light off` : t`Light on`}
      iconSize={22}
      className={css.torch}
      aria-pressed={on}
      onClick={toggle}
    />
  )
}

/** Turns the camera on while it is wanted. Returns the function for its lamp; null when there is none. */
function useCamera(
  video: RefObject<HTMLVideoElement | null>,
  wanted: boolean,
  tell: (event: ScannerEvent) => void,
) {
  const [torch, setTorch] = useState<((on: boolean) => Promise<void>) | null>(null)
  useEffect(() => {
    if (!wanted || !video.current) return
    const end = startScanning(video.current, {
      onOpen: (turn) => {
        setTorch(() => turn)
        tell({ type: 'granted' })
      },
      onDenied: () => {
        window.alert(t`Camera permission denied. Please allow camera access.`)
        tell({ type: 'denied' })
      },
      onFailed: (why) => tell({ type: 'failed', why }),
      onText: (text) => tell({ type: 'read', text }),
    })
    return () => {
      setTorch(null)
      end()
    }
  }, [video, wanted, tell])
  return torch
}

/** Reports when the page is hidden, so that the camera can be turned off. */
function useVisibility(tell: (event: ScannerEvent) => void) {
  useEffect(() => {
    const changed = () => tell({ type: document.visibilityState === 'visible' ? 'shown' : 'hidden' })
    document.addEventListener('visibilitychange', changed)
    return () => document.removeEventListener('visibilitychange', changed)
  }, [tell])
}

/** Joins once a beam's code was read, and reports when the scanner has closed. */
function useEnd(
  state: ScannerState,
  tell: (event: ScannerEvent) => void,
  onBeam: (text: string) => void,
  onClose: () => void,
) {
  const join = useEffectEvent(onBeam)
  const closed = useEffectEvent(onClose)
  const text = state.status === 'closing' ? state.text : null
  useEffect(() => {
    if (text === null) return
    navigator.vibrate?.(30)
    join(text)
    const timer = setTimeout(() => tell({ type: 'gone' }), CLOSING_MS)
    return () => clearTimeout(timer)
  }, [text, tell])
  const isClosed = state.status === 'closed'
  useEffect(() => {
    if (isClosed) closed()
  }, [isClosed])
}
