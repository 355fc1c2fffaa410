/** Moves the view when the large QR code appears over notes: this device is alone again, or it opened the page alone. */
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { cardsOf } from '../../stores/cards'
import { forward } from '../../ui/direction'
import { useApp } from '../actions'
import { besideCode } from './bars'
import type { CanvasValue } from './canvas-context'

export function useMakingWay({ board }: CanvasValue): void {
  const { devices, canvas, items } = useApp().stores
  const isAlone = useStore(devices, (state) => state.devices.length === 1)
  useEffect(() => {
    if (!isAlone) return
    const { places } = canvas.getState()
    // The places of deleted notes stay, in case they come back.
    const present = cardsOf(items.getState().items).map(({ id }) => id)
    const notes = [...board.boxes(present, places)].map(([, box]) => box)
    const camera = besideCode(board.destination, board.screen, notes, forward())
    if (camera) board.flyTo(camera)
  }, [board, canvas, items, isAlone])
}
