/** Keys on the canvas: commands, walking by Tab, and the space bar that turns the pointer into a hand. */
import { type RefObject, useEffect, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { type CanvasEvent, type Point, reduceCanvas } from '../../stores/canvas'
import { cardsOf } from '../../stores/cards'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { VIEW_INSETS } from './bars'
import type { Board } from './board'
import { panned, showing, ZOOM_STEP, zoomed } from './camera'
import type { CanvasValue } from './canvas-context'
import { type Command, commandOf } from './commands'
import type { Move } from './history'
import { readingOrder } from './reading-order'
import { aimedAt } from './selection'
import { focusedNote } from './use-gestures'

export interface KeyActions {
  copy(ids: readonly ItemId[]): void
  remove(ids: readonly ItemId[]): void
  undo(): void
  redo(): void
  onMoved(moves: readonly Move[], repeated: boolean): void
  giveUp(): void
}

/** Listens on the whole page, because after a click on the ground nothing has the focus. */
export function useKeys(
  context: CanvasValue,
  ground: RefObject<HTMLElement | null>,
  actions: KeyActions,
): void {
  const { stores } = useApp()
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const run = createRunner(context.board, stores, () => latest.current)
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || !isForCanvas(event, ground.current)) return
      const command = commandOf(event)
      if (command && run(command, event)) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [context, ground, stores])
}

/** Whether a key is meant for the canvas: on a note, on the ground, or without a focus. */
function isForCanvas({ target }: Event, ground: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement) || !ground) return false
  if (document.querySelector('dialog:modal')) return false
  return (
    target === document.body || target === ground || (ground.contains(target) && target.matches('article'))
  )
}

type Runner = (command: Command, event: KeyboardEvent) => boolean

function createRunner(board: Board, { canvas, items }: Stores, actions: () => KeyActions): Runner {
  const put = (event: CanvasEvent) => canvas.setState((state) => reduceCanvas(state, event), true)
  const present = () => cardsOf(items.getState().items).map(({ id }) => id)
  const aimed = () => {
    const here = new Set(present())
    return aimedAt(canvas.getState().selected, focusedNote()).filter((id) => here.has(id))
  }
  const middle = () => ({ x: board.screen.width / 2, y: board.screen.height / 2 })

  const move = (by: Point, repeated: boolean) => {
    const { places } = canvas.getState()
    const moves = aimed().flatMap((id): Move[] => {
      const from = places.get(id)
      return from ? [{ id, from, to: { x: from.x + by.x, y: from.y + by.y } }] : []
    })
    // Without a selection the arrow keys move the view.
    if (moves.length === 0) return board.look(panned(board.camera, { x: -5 * by.x, y: -5 * by.y }))
    put({ type: 'placed', places: moves.map(({ id, to }) => [id, to] as const) })
    actions().onMoved(moves, repeated)
    const [first] = moves
    if (first) showNote(board, first.id, first.to)
  }

  return (command, event) => {
    switch (command.do) {
      case 'move':
        move(command.by, event.repeat)
        return true
      case 'copy':
        // When text is selected, the browser copies that.
        if (aimed().length === 0 || !document.getSelection()?.isCollapsed) return false
        actions().copy(aimed())
        return true
      case 'delete':
        if (aimed().length > 0) actions().remove(aimed())
        return true
      case 'clear':
        actions().giveUp()
        put({ type: 'selected', ids: [] })
        return true
      case 'select-all':
        put({ type: 'selected', ids: present() })
        return true
      case 'undo':
      case 'redo':
        actions()[command.do]()
        return true
      case 'zoom':
        board.look(zoomed(board.camera, command.in ? ZOOM_STEP : 1 / ZOOM_STEP, middle()))
        return true
      case 'full-size':
        board.look(zoomed(board.camera, 1 / board.camera.zoom, middle()))
        return true
    }
  }
}

/** Moves the view as little as needed to show the note. */
export function showNote(board: Board, id: ItemId, at: Point): void {
  board.look(showing(board.camera, board.boxOf(id, at), board.screen, VIEW_INSETS))
}

/** While the space bar is down the pointer pans, whatever is under it. */
export function useSpaceBar(
  ground: RefObject<HTMLElement | null>,
  surface: RefObject<HTMLElement | null>,
): RefObject<boolean> {
  const down = useRef(false)
  useEffect(() => {
    const set = (isDown: boolean) => {
      down.current = isDown
      surface.current?.toggleAttribute('data-hand', isDown)
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== ' ' || !isForCanvas(event, ground.current)) return
      event.preventDefault()
      set(true)
    }
    const onKeyUp = (event: KeyboardEvent) => event.key === ' ' && set(false)
    const onBlur = () => set(false)
    addEventListener('keydown', onKeyDown)
    addEventListener('keyup', onKeyUp)
    addEventListener('blur', onBlur)
    return () => {
      removeEventListener('keydown', onKeyDown)
      removeEventListener('keyup', onKeyUp)
      removeEventListener('blur', onBlur)
    }
  }, [ground, surface])
  return down
}

/** Returns the notes in reading order. */
export function walkOf({ canvas, items }: Stores): ItemId[] {
  const { places } = canvas.getState()
  return readingOrder(
    cardsOf(items.getState().items).flatMap(({ id }) => {
      const place = places.get(id)
      return place ? [[id, place] as const] : []
    }),
  )
}
