/** Keys on the canvas: its commands, and the space bar that turns the pointer into a hand. */
import { type RefObject, useEffect, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import { cardsOf } from '../../stores/cards'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { panned } from './camera'
import type { CanvasValue } from './canvas-context'
import { type Command, commandOf, STEP } from './commands'
import { type Direction, neighbour } from './neighbours'
import { readingOrder } from './reading-order'
import { aimedAt } from './selection'
import type { CanvasCommands } from './use-commands'
import { focusedNote } from './use-gestures'
import type { Walk } from './use-walk'

interface Options {
  readonly commands: CanvasCommands
  readonly walk: Walk
  /** Puts held notes back. */
  readonly giveUp: () => void
}

/** Listens on the whole page, because after a click on the ground nothing has the focus. */
export function useKeys(context: CanvasValue, ground: RefObject<HTMLElement | null>, options: Options): void {
  const { stores } = useApp()
  const latest = useRef(options)
  latest.current = options
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const command = commandOf(event)
      if (event.defaultPrevented || !command || !isFor(command, event, ground.current)) return
      if (createRunner(context, stores, latest.current)(command, event.repeat)) event.preventDefault()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [context, ground, stores])
}

/** These are meant for the canvas wherever the focus is, except in fields and dialogs. */
const EVERYWHERE: ReadonlySet<Command['do']> = new Set(['select-all', 'undo', 'redo', 'help'])

function isFor(command: Command, event: KeyboardEvent, ground: HTMLElement | null): boolean {
  const { target } = event
  if (!EVERYWHERE.has(command.do)) return isForCanvas(event, ground)
  const isField = target instanceof Element && target.closest(FIELDS) !== null
  return !isField && document.querySelector('dialog:modal') === null
}

const FIELDS = 'input, textarea, select, [contenteditable="true"]'

/** Whether a key is meant for the canvas: on a note, on the ground, or without a focus. */
function isForCanvas({ target }: Event, ground: HTMLElement | null): boolean {
  if (!(target instanceof HTMLElement) || !ground) return false
  if (document.querySelector('dialog:modal')) return false
  return (
    target === document.body || target === ground || (ground.contains(target) && target.matches('article'))
  )
}

/** Runs a command. Returns false when the key is left to the browser. */
type Runner = (command: Command, repeated: boolean) => boolean

type Plain = Exclude<Command['do'], 'go' | 'move'>

function createRunner(
  { board }: CanvasValue,
  { canvas, items }: Stores,
  { commands, walk, giveUp }: Options,
): Runner {
  const focused = focusedNote()
  const { selected, places } = canvas.getState()
  const notes = [...board.boxes(idsOf(items), places)]
  const isHere = new Set(notes.map(([id]) => id))
  const aimed = aimedAt(selected, focused).filter((id) => isHere.has(id))

  const move = (by: Point, repeated: boolean) => {
    const [first] = aimed
    // Without a note the arrow keys move the view.
    if (!first) return board.look(panned(board.camera, { x: -5 * by.x, y: -5 * by.y }))
    commands.moveBy(aimed, by, repeated)
    commands.show(first)
  }
  /** Selected notes are moved; without a selection the focus moves from note to note. */
  const go = (to: Direction, repeated: boolean) => {
    const from = notes.find(([id]) => id === focused && !selected.has(id))
    if (from) walk.goTo(neighbour(from[1], to, notes))
    else if (focused === null || selected.has(focused)) move({ x: to.x * STEP, y: to.y * STEP }, repeated)
  }
  const remove = () => {
    if (aimed.length === 0) return
    const next = besideThose(new Set(aimed), focused, readingOrder(notes))
    commands.remove(aimed)
    if (next) walk.goTo(next)
  }
  // Only false has a meaning.
  const run: Readonly<Record<Plain, () => unknown>> = {
    first: () => walk.goTo(readingOrder(notes)[0]),
    last: () => walk.goTo(readingOrder(notes).at(-1)),
    copy() {
      // When text is selected, the browser copies that.
      if (aimed.length === 0 || !document.getSelection()?.isCollapsed) return false
      commands.copy(aimed)
    },
    delete: remove,
    enter: () => focused !== null && walk.enter(focused),
    pick() {
      if (focused === null) return false
      commands.toggle(focused)
    },
    escape() {
      giveUp()
      if (selected.size > 0) commands.select([])
      else if (focused) walk.leave()
    },
    menu: () => commands.openMenu(focused),
    undo: commands.undo,
    redo: commands.redo,
    'select-all': commands.selectAll,
    'zoom-in': commands.zoomIn,
    'zoom-out': commands.zoomOut,
    'full-size': commands.fullSize,
    'fit-all': commands.fitAll,
    'tidy-up': commands.tidyUp,
    help: commands.showHelp,
  }
  return (command, repeated) => {
    if (command.do === 'go') go(command.to, repeated)
    else if (command.do === 'move') move(command.by, repeated)
    else return run[command.do]() !== false
    return true
  }
}

function idsOf(items: Stores['items']): ItemId[] {
  return cardsOf(items.getState().items).map(({ id }) => id)
}

/** Returns the note that gets the focus when others go: the next one, else the one before; null if none had it. */
function besideThose(
  gone: ReadonlySet<ItemId>,
  focused: ItemId | null,
  order: readonly ItemId[],
): ItemId | undefined {
  if (focused === null || !gone.has(focused)) return
  const stays = (id: ItemId) => !gone.has(id)
  return order.slice(order.indexOf(focused)).find(stays) ?? order.findLast(stays)
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
