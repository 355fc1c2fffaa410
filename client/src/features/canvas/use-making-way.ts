/** Moves the view when the large QR code appears over notes: this device is alone again, or it opened the page alone. */
import { useEffect } from 'react'
import { useStore } from 'zustand'
import { useApp } from '../actions'
import { besideCode } from './bars'
import type { CanvasValue } from './canvas-context'

export function useMakingWay({ board }: CanvasValue): void {
  const { devices, canvas } = useApp().stores
  const isAlone = useStore(devices, (state) => state.devices.length === 1)
  useEffect(() => {
    if (!isAlone) return
    const { places } = canvas.getState()
    const notes = [...board.boxes(places.keys(), places)].map(([, box]) => box)
    const camera = besideCode(board.destination, board.screen, notes)
    if (camera) board.flyTo(camera)
  }, [board, canvas, isAlone])
}
