/** The infinite canvas: one transform moves all notes, and each note is rendered by itself. */
import { t } from '@lingui/core/macro'
import { type MouseEvent, type ReactNode, type RefObject, Suspense, useMemo, useRef } from 'react'
import { useStore } from 'zustand'
import { type Card, cardsOf } from '../../stores/cards'
import { lazyPart } from '../../ui/lazy-part'
import { AppContext, useApp } from '../actions'
import { panned } from './camera'
import css from './canvas.module.css'
import { CanvasContext, type CanvasValue, useCanvas } from './canvas-context'
import groundCss from './ground.module.css'
import { Minimap } from './minimap'
import { NewcomersChip } from './newcomers-chip'
import { PlacedNote } from './placed-note'
import { Plates } from './plates'
import { SelectedNotes } from './selected-notes'
import { NOTES } from './skip-link'
import { CommandsContext, useCanvasCommands, useCommands } from './use-commands'
import { useGestures } from './use-gestures'
import { type CanvasHistory, useHistory } from './use-history'
import { useKeys, useSpaceBar } from './use-keys'
import { useMakingWay } from './use-making-way'
import { useMenuGestures } from './use-menu-gestures'
import { useCrowding, useDrawing, useSeeing } from './use-notes'
import { useCameraOnScreen, useOpenCanvas, useRestingCamera } from './use-open-canvas'
import { usePlacing } from './use-placing'
import { usePointingOut } from './use-pointing-out'
import { useSteadyControls } from './use-steady-controls'
import { useWalk } from './use-walk'
import { ZoomControls } from './zoom-controls'

const HINT = 'notes-hint'

const ContextMenu = lazyPart(
  () => import('./context-menu'),
  (m) => m.ContextMenu,
)

export function Canvas() {
  const cards = useStore(useApp().stores.items, (state) => cardsOf(state.items))
  const context = useOpenCanvas()
  const history = useHistory(context)
  const commands = useCanvasCommands(context, history)
  useRestingCamera(context)
  usePlacing(context, cards)
  useDrawing(context, cards)
  useSeeing(context, cards)
  usePointingOut(context)
  useMakingWay(context)
  return (
    <CanvasContext value={context}>
      <CommandsContext value={commands}>
        <Undoable history={history}>
          <Ground cards={cards} history={history} />
        </Undoable>
        {cards.length > 0 && (
          <>
            <NewcomersChip />
            <div className={css.corner}>
              <ZoomControls />
              <Minimap />
            </div>
            <SelectedNotes />
          </>
        )}
        <CanvasOverlays />
      </CommandsContext>
    </CanvasContext>
  )
}

/** The menu, loaded when it is first opened. */
function CanvasOverlays() {
  const { view } = useCanvas()
  const menu = useStore(view, (state) => state.menu)
  return <Suspense>{menu && <ContextMenu {...menu} />}</Suspense>
}

/** Makes deletions by a note's own button undoable, like those by the keyboard. */
function Undoable({ history, children }: { history: CanvasHistory; children: ReactNode }) {
  const app = useApp()
  const undoable = useMemo(
    () => ({
      ...app,
      actions: { ...app.actions, deleteItem: (id: Card['id']) => history.remove([id]) },
    }),
    [app, history],
  )
  return <AppContext value={undoable}>{children}</AppContext>
}

function Ground({ cards, history }: { cards: readonly Card[]; history: CanvasHistory }) {
  const commands = useCommands()
  const ground = useRef<HTMLDivElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const grid = useRef<HTMLDivElement>(null)
  const surface = useRef<HTMLDivElement>(null)
  const frame = useRef<HTMLDivElement>(null)
  const start = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const context = useCanvas()
  useCameraOnScreen(context, ground, layer, grid)
  useSteadyControls(context, layer)
  useCrowding(context, layer, cards)
  const space = useSpaceBar(ground, surface)
  const {
    isIdle: _,
    giveUp,
    noteAt,
    ...pointers
  } = useGestures(context, {
    ground,
    surface,
    frame,
    space,
    onMove: history.move,
  })
  const menu = useMenuGestures({ commands, noteAt, giveUp })
  const walk = useWalk(context, commands, { start, end })
  useKeys(context, ground, { commands, walk, giveUp })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the ground is pressed and dragged; keys go to its notes
    <div
      ref={ground}
      className={groundCss.ground}
      {...pointers}
      {...menu}
      onKeyDown={walk.onKeyDown}
      onFocus={walk.onFocus}
      onMouseDown={noAutoscroll}
      onDragStart={(event) => event.preventDefault()}
      onScroll={() => takeOverScroll(context, ground.current)}
    >
      <div className={groundCss.back}>
        <div ref={grid} className={groundCss.grid} />
      </div>
      <Plates />
      {/* The gestures change this attribute. */}
      <div ref={surface} className={css.surface} data-gesture="idle" />
      {cards.length > 0 && <Edge of={start} id={NOTES} />}
      <div ref={layer} className={css.layer}>
        <p id={HINT} hidden>
          {t`Arrow keys go from note to note. F2 goes to the buttons of a note, and Escape comes back. A question mark lists all keys.`}
        </p>
        <ul aria-label={t`Shared items`} aria-describedby={HINT}>
          {cards.map((card) => (
            <PlacedNote key={card.id} card={card} />
          ))}
        </ul>
      </div>
      {cards.length > 0 && <Edge of={end} />}
      <div ref={frame} className={css.frame} hidden />
    </div>
  )
}

/** The edge where a walk by Tab begins or ends. It has no content, because the focus is always moved on. */
function Edge({ of, id }: { of: RefObject<HTMLDivElement | null>; id?: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: the focus never stays here
  return <div ref={of} id={id} className={css.edge} tabIndex={0} />
}

/** Prevents the browser's autoscroll by the middle button, which pans here. */
function noAutoscroll(event: MouseEvent) {
  if (event.button === 1) event.preventDefault()
}

/** The browser scrolls to the focus or a found word. The camera moves there instead. */
function takeOverScroll({ board }: CanvasValue, ground: HTMLElement | null) {
  if (!ground || (ground.scrollLeft === 0 && ground.scrollTop === 0)) return
  const by = { x: -ground.scrollLeft, y: -ground.scrollTop }
  ground.scrollTo(0, 0)
  board.look(panned(board.camera, by))
}
