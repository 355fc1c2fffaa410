/** The state that the parts of an open canvas share. */
import { createContext, useContext } from 'react'
import type { StoreApi } from 'zustand/vanilla'
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import type { Board } from './board'

/** Changes at most a few times per second. The camera, which changes in every frame, is in the board. */
export interface ViewState {
  /** Notes that are drawn whole. */
  readonly drawn: ReadonlySet<ItemId>
  /** Notes without a place that are drawn invisibly, so that their height is known when they are placed. */
  readonly measured: ReadonlySet<ItemId>
  /** New notes outside of the view that were not shown yet. */
  readonly unseen: ReadonlySet<ItemId>
  /** Notes that arrived while the canvas was open; they are shown with an animation. */
  readonly arrived: ReadonlySet<ItemId>
  /** The open menu: of a note or of the ground, at a point of the screen. */
  readonly menu: { readonly note: ItemId | null; readonly at: Point } | null
}

export interface CanvasValue {
  readonly board: Board
  readonly view: StoreApi<ViewState>
}

/** Draws these notes whole from now on, even outside of the view. */
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
