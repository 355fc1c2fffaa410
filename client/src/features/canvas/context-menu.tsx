/** The menu of a note, or of the ground where no note is. */
import { plural, t } from '@lingui/core/macro'
import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import Copy from 'lucide-react/icons/copy'
import Download from 'lucide-react/icons/download'
import ExternalLink from 'lucide-react/icons/external-link'
import Keyboard from 'lucide-react/icons/keyboard'
import LayoutGrid from 'lucide-react/icons/layout-grid'
import Maximize2 from 'lucide-react/icons/maximize-2'
import Scan from 'lucide-react/icons/scan'
import SquareDashed from 'lucide-react/icons/square-dashed'
import SquareMousePointer from 'lucide-react/icons/square-mouse-pointer'
import Trash2 from 'lucide-react/icons/trash-2'
import Users from 'lucide-react/icons/users'
import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { ItemId } from '../../protocol/bindings'
import { copyableText } from '../../protocol/item'
import { RICH_NOTE } from '../../protocol/rich-note'
import type { Point } from '../../stores/canvas'
import { type Card, cardsOf, isBatch } from '../../stores/cards'
import { savableOf } from '../../stores/downloads'
import type { Stores } from '../../stores/stores'
import { forward } from '../../ui/direction'
import { useDismiss } from '../../ui/dismiss'
import { Menu, type MenuItem } from '../../ui/menu'
import { type AppValue, useApp } from '../actions'
import { useMayShare } from '../session/beam'
import { useCanvas } from './canvas-context'
import css from './context-menu.module.css'
import { type CanvasCommands, useCommands } from './use-commands'

/** Distance that the menu keeps from the edges of the window, in px. */
const EDGE = 8

export function ContextMenu({ note, at }: { note: ItemId | null; at: Point }) {
  const app = useApp()
  const commands = useCommands()
  const mayShare = useMayShare()
  const ref = useRef<HTMLDivElement>(null)
  const { closeMenu } = commands
  useDismiss(ref, true, closeMenu)
  useFocusBack(note)
  usePlaced(ref, at)
  const items = note ? noteItems(note, app, commands, mayShare) : groundItems(app, commands, mayShare)
  const closing = items.map((item) => ({
    ...item,
    onSelect() {
      closeMenu()
      item.onSelect()
    },
  }))
  return (
    <div ref={ref} className={css.place}>
      <Menu label={note ? t`Note` : t`Canvas`} items={closing} />
    </div>
  )
}

/** Opens the menu at the pointer, within the window. */
function usePlaced(ref: React.RefObject<HTMLElement | null>, { x, y }: Point) {
  useLayoutEffect(() => {
    const menu = ref.current
    if (!menu) return
    const start = forward() === 1 ? x : x - menu.offsetWidth
    const left = Math.max(EDGE, Math.min(start, window.innerWidth - menu.offsetWidth - EDGE))
    const top = Math.max(EDGE, Math.min(y, window.innerHeight - menu.offsetHeight - EDGE))
    menu.style.translate = `${left}px ${top}px`
  }, [ref, x, y])
}

/** Gives the focus back to the note, or to what had it, unless it went elsewhere meanwhile. */
function useFocusBack(note: ItemId | null) {
  const { board } = useCanvas()
  const give = useCallback(() => {
    const article = note && board.element(note)?.querySelector('article')
    article?.focus({ preventScroll: true })
  }, [board, note])
  useEffect(
    () => () => {
      if (document.activeElement === document.body || document.activeElement?.role === 'menuitem') give()
    },
    [give],
  )
}

function noteItems(
  note: ItemId,
  { stores, actions }: AppValue,
  commands: CanvasCommands,
  mayShare: boolean,
): MenuItem[] {
  const { selected } = stores.canvas.getState()
  const wanted = selected.has(note) ? selected : new Set([note])
  // What is selected may have been deleted by another device.
  const cards = cardsOf(stores.items.getState().items).filter(({ id }) => wanted.has(id))
  const ids = cards.map(({ id }) => id)
  const noteCount = ids.length
  const fileCount = savableOf(ids, stores).length
  const [only] = cards
  const open = cards.length === 1 && only ? opening(only, actions) : null
  return [
    ...(open ? [{ label: t`Open`, icon: ExternalLink, onSelect: open }] : []),
    ...(cards.some((card) => isCopyable(card, stores))
      ? [{ label: copyLabel(cards), icon: Copy, onSelect: () => commands.copy(ids) }]
      : []),
    ...(fileCount > 0
      ? [
          {
            label: plural(fileCount, { 1: 'Download', other: 'Download # files' }),
            icon: Download,
            onSelect: () => void actions.download(ids),
          },
        ]
      : []),
    {
      label: selected.has(note) ? t`Deselect` : t`Select`,
      icon: SquareMousePointer,
      onSelect: () => commands.toggle(note),
    },
    ...(mayShare
      ? [
          {
            label: plural(noteCount, { 1: 'Delete', other: 'Delete # notes' }),
            icon: Trash2,
            onSelect: () => commands.remove(ids),
          },
        ]
      : []),
  ]
}

/** Returns what opens an item; null for one that is all on its note. */
function opening({ id, content }: Card, actions: AppValue['actions']): (() => void) | null {
  if (content.kind === RICH_NOTE) return () => actions.notes.view(id)
  if (content.kind === 'link') return () => void window.open(content.url, '_blank', 'noreferrer')
  return null
}

function copyLabel(cards: readonly Card[]): string {
  const count = cards.length
  if (count > 1) return plural(count, { other: 'Copy # notes' })
  return cards.some(isBatch) ? t`Copy names` : t`Copy`
}

/** Of a batch, the names of its files are copied. */
function isCopyable(card: Card, { media }: Stores): boolean {
  if (isBatch(card)) return true
  const { id, content } = card
  return copyableText(content) !== null || media.getState().kinds[id]?.media === 'image'
}

function arrangement({ canvas }: Stores, actions: AppValue['actions']): MenuItem {
  const { shared } = canvas.getState()
  return {
    label: shared ? t`Arrange here only` : t`Arrange for everyone`,
    icon: Users,
    onSelect: () => actions.arrangeForEveryone(!shared),
  }
}

function groundItems({ stores, actions }: AppValue, commands: CanvasCommands, mayShare: boolean): MenuItem[] {
  const hasNotes = stores.items.getState().items.length > 0
  const paste = { label: t`Paste`, icon: ClipboardPaste, onSelect: () => void actions.paste('home') }
  const create = { label: t`New note`, icon: Maximize2, onSelect: () => actions.notes.create() }
  return [
    ...(mayShare ? [paste, create] : []),
    ...(hasNotes
      ? [
          { label: t`Select all`, icon: SquareDashed, onSelect: commands.selectAll },
          { label: t`Tidy up`, icon: LayoutGrid, onSelect: commands.tidyUp },
          ...(mayShare ? [arrangement(stores, actions)] : []),
          { label: t`Fit all`, icon: Scan, onSelect: commands.fitAll },
        ]
      : []),
    { label: t`Keyboard shortcuts`, icon: Keyboard, onSelect: commands.showHelp },
  ]
}
