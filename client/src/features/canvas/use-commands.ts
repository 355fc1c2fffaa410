/** What a person can do with the canvas and its notes, by key, button or menu. */
import { createContext, useContext, useMemo } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { type CanvasEvent, type Point, reduceCanvas } from '../../stores/canvas'
import { cardsOf } from '../../stores/cards'
import { forward } from '../../ui/direction'
import { type AppValue, useApp } from '../actions'
import { type Axis, aligned, distributed, type Edge, inRows, type Places } from './arranging'
import { barsOnCanvas, VIEW_INSETS } from './bars'
import { fitted, showing, toScreen, ZOOM_STEP, zoomed } from './camera'
import type { CanvasValue } from './canvas-context'
import { type Box, boxAround } from './geometry'
import { glide } from './glide'
import { areaOf } from './placement'
import { selectable } from './selection'
import type { CanvasHistory } from './use-history'

/** Distance of a menu opened by a key from the corner of its note. */
const MENU_INDENT = 24

export interface CanvasCommands extends Pick<CanvasHistory, 'remove' | 'undo' | 'redo'> {
  copy(ids: readonly ItemId[]): void
  select(ids: readonly ItemId[]): void
  /** Selects a note, or no longer. */
  toggle(id: ItemId): void
  selectAll(): void
  /** `repeated`: the key is held down, so that this move and the one before are undone together. */
  moveBy(ids: readonly ItemId[], by: Point, repeated: boolean): void
  /** Puts all notes in rows. */
  tidyUp(): void
  align(ids: readonly ItemId[], edge: Edge): void
  distribute(ids: readonly ItemId[], axis: Axis): void
  zoomIn(): void
  zoomOut(): void
  fullSize(): void
  fitAll(): void
  /** Moves the view as little as needed to show a note. */
  show(id: ItemId): void
  /** Opens the menu of a note, or of the ground, at a point of the screen; without a point, on the note. */
  openMenu(note: ItemId | null, at?: Point): void
  closeMenu(): void
  /** Shows the list of keys. */
  showHelp(): void
}

export const CommandsContext = createContext<CanvasCommands | null>(null)

export function useCommands(): CanvasCommands {
  const commands = useContext(CommandsContext)
  if (!commands) throw new Error('useCommands outside of a canvas')
  return commands
}

export function useCanvasCommands(context: CanvasValue, history: CanvasHistory): CanvasCommands {
  const app = useApp()
  return useMemo(() => createCommands(context, history, app), [context, history, app])
}

function createCommands(
  { board, view }: CanvasValue,
  history: CanvasHistory,
  { stores, actions }: AppValue,
): CanvasCommands {
  const { canvas, items, devices } = stores
  const put = (event: CanvasEvent) => canvas.setState((state) => reduceCanvas(state, event), true)
  const present = () => cardsOf(items.getState().items).map(({ id }) => id)
  const boxes = (ids: Iterable<ItemId> = present()) => [...board.boxes(ids, canvas.getState().places)]
  const middle = () => ({ x: board.screen.width / 2, y: board.screen.height / 2 })
  const around = (notes: readonly (readonly [ItemId, Box])[]) => boxAround(notes.map(([, box]) => box))
  const arrange = (places: Places) => {
    const before = canvas.getState().places
    history.move(
      places.flatMap(([id, to]) => (before.has(id) ? [{ id, from: before.get(id) ?? to, to }] : [])),
    )
    glide(board, before, canvas.getState().places)
  }
  // Relative to the end of an earlier press's flight, so that two presses are two steps.
  const zoomBy = (factor: number) => board.flyTo(zoomed(board.destination, factor, middle()))
  const bars = () => barsOnCanvas(board.camera, board.screen, devices.getState(), forward())
  return {
    ...history,
    copy: (ids) => void actions.copyItems(ids),
    select: (ids) => put({ type: 'selected', ids }),
    toggle(id) {
      const selected = new Set(canvas.getState().selected)
      if (!selected.delete(id)) selected.add(id)
      put({ type: 'selected', ids: selected })
    },
    selectAll: () => put({ type: 'selected', ids: selectable(stores) }),
    moveBy(ids, by, repeated) {
      const { places } = canvas.getState()
      const moves = ids.flatMap((id) => {
        const from = places.get(id)
        return from ? [{ id, from, to: { x: from.x + by.x, y: from.y + by.y } }] : []
      })
      if (moves.length > 0) history.move(moves, repeated)
    },
    tidyUp: () => arrange(inRows(boxes(), areaOf(board.view, bars()), board.screen)),
    align: (ids, edge) => arrange(aligned(boxes(ids), edge)),
    distribute: (ids, axis) => arrange(distributed(boxes(ids), axis)),
    zoomIn: () => zoomBy(ZOOM_STEP),
    zoomOut: () => zoomBy(1 / ZOOM_STEP),
    fullSize: () => board.flyTo(zoomed(board.destination, 1 / board.destination.zoom, middle())),
    fitAll() {
      const all = around(boxes())
      if (all) board.flyTo(fitted(all, board.screen, VIEW_INSETS))
    },
    openMenu(note, at) {
      const [box] = note ? boxes([note]) : []
      const corner = box ? toScreen(board.camera, box[1]) : middle()
      view.setState({ menu: { note, at: at ?? { x: corner.x + MENU_INDENT, y: corner.y + MENU_INDENT } } })
    },
    closeMenu: () => view.setState({ menu: null }),
    showHelp: () => stores.beamDialog.setState({ kind: 'keys' }, true),
    show(id) {
      const [box] = boxes([id])
      if (box) board.look(showing(board.camera, box[1], board.screen, VIEW_INSETS))
    },
  }
}
