import { useEffect, useState } from 'react'
import { useStore } from 'zustand'
import { fileTakers } from '../../stores/devices'
import { useApp } from '../actions'
import { useMayShare, useSession } from '../session/beam'
import css from './drop-zone.module.css'
import { droppedFiles } from './dropped-files'
import { named } from './named'

/** Shares files dropped anywhere on the page, and shows a frame around it while files hover. */
export function DropZone() {
  const { stores, actions } = useApp()
  const takers = useStore(stores.devices, (state) => fileTakers(state).length)
  const mayShare = useMayShare()
  const ready = useSession() !== null && mayShare
  const over = useFilesOver(ready, (data) => {
    void droppedFiles(data).then(({ files, unreadable }) => {
      if (files.length > 0) actions.shareFiles(files)
      if (unreadable.length > 0) actions.warn(unreadableText(unreadable))
    })
  })
  if (!over) return null
  return (
    <div className={css.frame}>
      <p className={css.words}>{dropText(takers)}</p>
    </div>
  )
}

function unreadableText(names: readonly string[]): string {
  const check = names.length === 1 ? 'it is still there' : 'they are still there'
  return `${named(names)} could not be read. Check that ${check}.`
}

export function dropText(takers: number): string {
  if (takers === 0) return 'Drop to share'
  return takers === 1 ? 'Drop to share with 1 device' : `Drop to share with ${takers} devices`
}

function useFilesOver(ready: boolean, onDrop: (data: DataTransfer) => void): boolean {
  // Moving onto a child enters it before leaving the parent, so the depth is counted.
  const [depth, setDepth] = useState(0)
  useEffect(() => {
    const on = (change: (event: DragEvent) => void) => (event: DragEvent) => {
      const data = event.dataTransfer
      if (!data?.types.includes('Files')) return
      // Even where nothing may be shared: the browser would leave this page for the file.
      event.preventDefault()
      if (ready) change(event)
      else data.dropEffect = 'none'
    }
    const enter = on(() => setDepth((old) => old + 1))
    const leave = on(() => setDepth((old) => Math.max(0, old - 1)))
    const hover = on(() => {})
    const drop = on((event) => {
      setDepth(0)
      if (event.dataTransfer) onDrop(event.dataTransfer)
    })
    const wired = { dragenter: enter, dragleave: leave, dragover: hover, drop }
    for (const [type, listener] of Object.entries(wired)) {
      window.addEventListener(type as 'drop', listener)
    }
    return () => {
      for (const [type, listener] of Object.entries(wired)) {
        window.removeEventListener(type as 'drop', listener)
      }
    }
  }, [ready, onDrop])
  return depth > 0
}
