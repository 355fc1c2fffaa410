/** What the parts of one open canvas share. */
import { createContext, useContext } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import type { ItemId } from '../../protocol/bindings'
import type { Board } from './board'

/** Changes a few times a second at most; the camera itself is with the board. */
export interface ViewState {
  /** Notes that are drawn whole. */
  readonly drawn: ReadonlySet<ItemId>
  /** New notes outside of the view that nobody has seen. */
  readonly unseen: ReadonlySet<ItemId>
  /** Notes that came while the canvas was open: they arrive rather than stand there. */
  readonly arrived: ReadonlySet<ItemId>
}

export interface CanvasValue {
  readonly board: Board
  readonly view: StoreApi<ViewState>
}

/** Draws these notes whole from now on, whatever is near the view. */
export function drawWhole(view: CanvasValue['view'], ids: readonly ItemId[]): void {
  view.setState(({ drawn }) =>
    ids.every((id) => drawn.has(id)) ? {} : { drawn: new Set([...drawn, ...ids]) },
  )
}

export const CanvasContext = createContext<CanvasValue | null>(null)

export function useCanvas(): CanvasValue {
  const context = useContext(CanvasContext)
  if (!context) throw new Error('useCanvas outside of a canvas')
  return context
}
