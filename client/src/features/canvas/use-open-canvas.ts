/** Opens a canvas on an element: creates its board, shows its camera, and stores where the camera rests. */
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react'
import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import { reduceCanvas } from '../../stores/canvas'
import { useApp } from '../actions'
import { Board, type Surroundings } from './board'
import { gridOf } from './camera'
import type { CanvasValue, ViewState } from './canvas-context'

/** The view rests after this many milliseconds without movement. */
const REST_MS = 200

export function useOpenCanvas(): CanvasValue {
  const { canvas } = useApp().stores
  const [context] = useState(() => ({
    board: new Board(
      canvas.getState().camera,
      { width: window.innerWidth, height: window.innerHeight },
      surroundings(),
    ),
    view: createStore<ViewState>()(() => ({
      drawn: new Set(),
      measured: new Set(),
      unseen: new Set(),
      arrived: new Set(),
      menu: null,
    })),
  }))
  return context
}

function surroundings(): Surroundings {
  const listeners = new WeakMap<Element, (height: number) => void>()
  // One observer for all notes: with two thousand observers the browser would run each in every frame.
  const sizes = new ResizeObserver((entries) => {
    for (const { target } of entries) listeners.get(target)?.((target as HTMLElement).offsetHeight)
  })
  return {
    now: () => performance.now(),
    nextFrame(run) {
      const handle = requestAnimationFrame(run)
      return () => cancelAnimationFrame(handle)
    },
    prefersStill: () => matchMedia('(prefers-reduced-motion: reduce)').matches,
    watchHeight(element, tell) {
      listeners.set(element, tell)
      sizes.observe(element)
      return () => sizes.unobserve(element)
    },
  }
}

/** Applies the camera to the screen: one transform for all notes, one for the grid. */
export function useCameraOnScreen(
  { board }: CanvasValue,
  ground: RefObject<HTMLElement | null>,
  layer: RefObject<HTMLElement | null>,
  grid: RefObject<HTMLElement | null>,
): void {
  useLayoutEffect(() => {
    const element = ground.current
    if (!element) return
    const observer = new ResizeObserver(() =>
      board.resized({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [board, ground])
  useLayoutEffect(() => {
    let shown = board.camera
    let sharp = shown.zoom
    let pause: ReturnType<typeof setTimeout> | undefined
    const show = () => {
      const notes = layer.current
      if (!notes || !grid.current) return
      const { x, y, zoom } = board.camera
      notes.style.transform = `scale(${zoom}) translate(${-x}px, ${-y}px)`
      showGrid(grid.current, board)
      shown = board.camera
      clearTimeout(pause)
      if (zoom !== sharp)
        pause = setTimeout(() => {
          sharp = shown.zoom
          redrawSharp(notes)
        }, REST_MS)
    }
    show()
    const end = board.onView(() => {
      if (board.camera !== shown) show()
    })
    return () => {
      clearTimeout(pause)
      end()
    }
  }, [board, layer, grid])
}

function showGrid({ style }: HTMLElement, { camera }: Board): void {
  const { cell, left, top } = gridOf(camera)
  style.transform = `translate(${left}px, ${top}px)`
  style.backgroundSize = `${cell}px ${cell}px`
}

/** Redraws sharply after a zoom: a layer keeps the pixels of its first zoom, so it is dropped for one frame. */
function redrawSharp({ style }: HTMLElement): void {
  style.willChange = 'auto'
  // The first callback runs before that frame, the second after it.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      style.willChange = ''
    }),
  )
}

/** Stores where the view rests, and restores it when a beam is entered. */
export function useRestingCamera({ board }: CanvasValue): void {
  const { canvas } = useApp().stores
  const beam = useStore(canvas, (state) => state.beam)
  useEffect(() => {
    if (beam !== null) board.look(canvas.getState().camera)
  }, [board, canvas, beam])
  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined
    const rest = () => {
      clearTimeout(pause)
      pause = undefined
      canvas.setState((state) => reduceCanvas(state, { type: 'rested', camera: board.camera }), true)
    }
    const end = board.onView(() => {
      if (board.camera === canvas.getState().camera) return
      clearTimeout(pause)
      pause = setTimeout(rest, REST_MS)
    })
    const restNow = () => pause !== undefined && rest()
    addEventListener('pagehide', restNow)
    return () => {
      end()
      removeEventListener('pagehide', restNow)
      restNow()
    }
  }, [board, canvas])
}
