/** Files that are dropped on a dialog which has its own use for them. */
import { type RefObject, useEffect, useEffectEvent, useState } from 'react'
import { type Destination, useApp } from '../actions'
import { hasFiles } from './dropped'
import { takeFiles } from './take-files'

/**
 * Shares what is dropped on the dialog around an element, or on its backdrop, unless `destination` is null. Returns
 * whether files hover over it.
 * @param onTaken called once there was something to share
 */
export function useOwnDrops(
  ref: RefObject<Element | null>,
  destination: Destination | null,
  onTaken: () => void,
): boolean {
  const { actions } = useApp()
  const [isOver, setOver] = useState(false)
  const take = useEffectEvent((data: DataTransfer) => {
    if (destination) void takeFiles(data, actions, destination).then((some) => some && onTaken())
  })
  const isActive = destination !== null
  useEffect(() => {
    const dialog = ref.current?.closest('dialog')
    if (!dialog || !isActive) return
    const ends = new AbortController()
    const on = (
      type: 'dragover' | 'dragleave' | 'drop',
      react: (data: DataTransfer, event: DragEvent) => void,
    ) =>
      dialog.addEventListener(
        type,
        (event) => {
          const data = event.dataTransfer
          if (!data || !hasFiles(data)) return
          // The page leaves what is prevented here alone.
          event.preventDefault()
          react(data, event)
        },
        { signal: ends.signal },
      )
    on('dragover', (data) => {
      data.dropEffect = 'copy'
      setOver(true)
    })
    on('dragleave', (_, { relatedTarget }) => {
      if (!(relatedTarget instanceof Node && dialog.contains(relatedTarget))) setOver(false)
    })
    on('drop', (data) => {
      setOver(false)
      take(data)
    })
    return () => ends.abort()
  }, [ref, isActive])
  return isOver
}
