import { plural, t } from '@lingui/core/macro'
import { useEffect, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Point } from '../../stores/canvas'
import { fileTakers } from '../../stores/devices'
import { useApp } from '../actions'
import { useMayShare, useSession } from '../session/beam'
import css from './drop-zone.module.css'
import { droppedTexts, hasFiles } from './dropped'
import { takeFiles } from './take-files'

/** Shares files, texts and links dropped anywhere on the page, and shows a frame around it while they hover. */
export function DropZone() {
  const { stores, actions } = useApp()
  const isSealed = useStore(stores.encryption, ({ kind }) => kind === 'sealed')
  const takers = useStore(stores.devices, (state) => fileTakers(state, { isSealed }).length)
  const mayShare = useMayShare()
  const ready = useSession() !== null && mayShare
  const over = useDrops(ready, (data, at) => {
    if (!hasFiles(data)) {
      for (const text of droppedTexts(data)) actions.shareText(text, { at })
      return
    }
    void takeFiles(data, actions, { at })
  })
  if (!over) return null
  return (
    <div className={css.frame}>
      <p className={css.words}>{dropText(takers)}</p>
    </div>
  )
}

export function dropText(takers: number): string {
  if (takers === 0) return t`Drop to share`
  return plural(takers, { one: 'Drop to share with # device', other: 'Drop to share with # devices' })
}

/** Takes over every drag over the page, except texts over a field. Returns whether something hovers that is shared. */
function useDrops(ready: boolean, onDrop: (data: DataTransfer, at: Point) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(onDrop)
  latest.current = onDrop
  useEffect(() => {
    // What is dragged within the page is in the beam already.
    let isOwn = false
    const on = (change: (event: DragEvent, data: DataTransfer) => void) => (event: DragEvent) => {
      const data = event.dataTransfer
      setOver(false)
      if (!data || event.defaultPrevented || isForField(event, data)) return
      // Even where nothing may be shared: the browser would leave this page for the file or the link.
      event.preventDefault()
      if (ready && !isOwn && isWanted(data)) change(event, data)
      else data.dropEffect = 'none'
    }
    const listeners: Partial<Record<keyof WindowEventMap, (event: DragEvent) => void>> = {
      // A drag that the page prevents has no end.
      dragstart: (event) => {
        isOwn = !event.defaultPrevented
      },
      dragend: () => {
        isOwn = false
      },
      dragenter: on(() => setOver(true)),
      dragover: on((_, data) => {
        data.dropEffect = 'copy'
        setOver(true)
      }),
      // Into nothing: out of the window. Browsers that tell of nothing between two elements as well send `dragover` at once.
      dragleave: ({ relatedTarget }) => {
        if (relatedTarget === null) setOver(false)
      },
      // No pointer moves during a drag. Of one that left from an element that was removed meanwhile, the window hears nothing.
      pointermove: () => setOver(false),
      drop: (event) => {
        on((_, data) => latest.current(data, { x: event.clientX, y: event.clientY }))(event)
        // The element that was dragged may be gone, and then nothing tells that its drag ended.
        isOwn = false
      },
    }
    for (const [type, listener] of Object.entries(listeners))
      window.addEventListener(type as 'drop', listener)
    return () => {
      for (const [type, listener] of Object.entries(listeners))
        window.removeEventListener(type as 'drop', listener)
    }
  }, [ready])
  return isOver
}

/** Whether a text is dragged over a field, which takes it. */
function isForField({ target }: DragEvent, data: DataTransfer): boolean {
  return !hasFiles(data) && target instanceof Element && target.closest(FIELDS) !== null
}

const FIELDS = 'input, textarea, [contenteditable="true"]'

const TEXTS = ['text/plain', 'text/uri-list']

/** Over a dialog nothing is shared: what missed one of its fields is not meant for everybody. */
function isWanted(data: DataTransfer): boolean {
  const isKnown = hasFiles(data) || TEXTS.some((type) => data.types.includes(type))
  return isKnown && document.querySelector('dialog:modal') === null
}
