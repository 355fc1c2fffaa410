/** Opens the menu: by a right click, the menu key of the system, or a long press on a touch screen. */
import { type MouseEvent, type PointerEvent, useMemo } from 'react'
import type { ItemId } from '../../protocol/bindings'
import type { Point } from '../../stores/canvas'
import type { CanvasCommands } from './use-commands'

/** A press on a touch screen is long after this time, in ms. */
const LONG_PRESS_MS = 500
/** Movement in px that makes it a drag. */
const REACH = 8

/** Their own menu of the browser is more useful: open in a new tab, paste, spelling. */
const OWN_MENU = 'a, input, textarea, select, [contenteditable="true"]'

interface Options {
  readonly commands: CanvasCommands
  readonly noteAt: (event: MouseEvent) => ItemId | null
  /** Puts held notes back. */
  readonly giveUp: () => void
}

export function useMenuGestures({ commands, noteAt, giveUp }: Options) {
  return useMemo(() => {
    let press: { readonly from: Point; readonly giveUp: () => void } | null = null
    const end = () => {
      press?.giveUp()
      press = null
    }
    const open = (note: ItemId | null, at: Point) => {
      end()
      giveUp()
      commands.openMenu(note, at)
    }
    return {
      onContextMenu(event: MouseEvent) {
        if (event.target instanceof Element && event.target.closest(OWN_MENU)) return
        event.preventDefault()
        open(noteAt(event), { x: event.clientX, y: event.clientY })
      },
      onPointerDownCapture(event: PointerEvent) {
        end()
        if (event.pointerType !== 'touch' || !event.isPrimary) return
        const note = noteAt(event)
        const from = { x: event.clientX, y: event.clientY }
        press = { from, giveUp: afterLongPress(() => open(note, from)) }
      },
      onPointerMoveCapture({ clientX, clientY }: PointerEvent) {
        if (press && Math.hypot(clientX - press.from.x, clientY - press.from.y) > REACH) end()
      },
      onPointerUpCapture: end,
      onPointerCancelCapture: end,
    }
  }, [commands, noteAt, giveUp])
}

/**
 * Calls back after a long press; the returned function gives it up. A frame passes after the time is over, because a
 * page that was busy has moves of the finger before it that it has not handled yet, and browsers handle these at the
 * latest in the next frame.
 */
function afterLongPress(then: () => void): () => void {
  let frame = 0
  const timer = setTimeout(() => {
    frame = requestAnimationFrame(then)
  }, LONG_PRESS_MS)
  return () => {
    clearTimeout(timer)
    cancelAnimationFrame(frame)
  }
}
