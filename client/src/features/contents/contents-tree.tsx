import ChevronRight from 'lucide-react/icons/chevron-right'
import FolderIcon from 'lucide-react/icons/folder'
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  type RefObject,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { fileCategory } from '../../protocol/item'
import { type Choice, openRows, type PackTree, type TreeRow } from '../../protocol/pack-tree'
import { forward } from '../../ui/direction'
import { Icon } from '../../ui/icon'
import { useRowWindow } from '../../ui/row-window'
import { fileIcon } from '../item/describe'
import { FileName } from '../transfer/file-name'
import { formatBytes } from '../transfer/format-bytes'
import { CheckMark } from './check-mark'
import css from './contents-dialog.module.css'
import { holdsRows, pressStep, type TreeStep, type Typed } from './tree-keys'

/** The height of a row in rem, as in the style sheet. */
const ROW_REM = 2.75

/** Folders are open at first where so few rows come of it. */
const MOST_OPEN = 200

/** A name that lies deeper still needs its room. */
const MOST_INDENTS = 8

interface ContentsTreeProps {
  tree: PackTree
  choice: Choice
  onChoose: (choice: Choice) => void
  label: string
}

/**
 * The tree of files and folders with a check mark each (WAI-ARIA, tree view). The tree has the focus and names its
 * active row, because of ten thousand rows only those near the visible ones exist.
 */
export function ContentsTree({ tree, choice, onChoose, label }: ContentsTreeProps) {
  const id = useId()
  const element = useRef<HTMLDivElement>(null)
  const { closed, shown, active, setActive, fold, onKeyDown } = useTree({ tree, choice, onChoose }, element)
  const { first, end } = useRowWindow(element, shown.length, ROW_REM)
  const drawn = shown.slice(first, end)
  const name = (row: number) => `${id}-${row}`
  return (
    <div
      ref={element}
      role="tree"
      className={css.tree}
      aria-label={label}
      aria-multiselectable="true"
      // One that was scrolled away is named again once a key brings it back.
      aria-activedescendant={drawn.includes(active) ? name(active) : undefined}
      tabIndex={0}
      onMouseDown={keepFocus}
      onKeyDown={onKeyDown}
    >
      <div aria-hidden="true" style={{ height: `${first * ROW_REM}rem` }} />
      {drawn.map((at) => {
        const row = tree.rows[at]
        if (!row) return null
        return (
          <Row
            key={row.path}
            id={name(at)}
            row={row}
            state={choice.of(row)}
            isActive={at === active}
            isOpen={holdsRows(tree, at) ? !closed.has(row.path) : null}
            onFold={(isOpen) => {
              setActive(at)
              fold(row, isOpen)
            }}
            onToggle={() => {
              setActive(at)
              onChoose(choice.toggled(row))
            }}
          />
        )
      })}
      <div aria-hidden="true" style={{ height: `${(shown.length - end) * ROW_REM}rem` }} />
    </div>
  )
}

/** A press on a row leaves the focus on the tree: the row goes as soon as it is scrolled away, and the keys with it. */
function keepFocus(event: MouseEvent<HTMLDivElement>): void {
  // Beside the rows is the bar that scrolls them.
  if (event.target === event.currentTarget) return
  event.preventDefault()
  event.currentTarget.focus({ preventScroll: true })
}

/** Which rows are shown and which one is active, and what the keys do with them. */
function useTree(
  { tree, choice, onChoose }: Omit<ContentsTreeProps, 'label'>,
  element: RefObject<HTMLDivElement | null>,
) {
  const [closed, setClosed] = useState(() => closedAtFirst(tree))
  const shown = useMemo(() => openRows(tree, closed), [tree, closed])
  /** The number of the active row in the tree. One whose folder is closed gives way to that folder. */
  const [active, setActive] = useState(0)
  const fold = (row: TreeRow, isOpen: boolean) => {
    setClosed(withPath(closed, row.path, !isOpen))
    const at = tree.rows.indexOf(row)
    if (!isOpen && active > at && active < row.next) setActive(at)
  }
  const activate = (place: number | null) => {
    const row = place === null ? undefined : shown[place]
    if (place === null || row === undefined) return
    setActive(row)
    if (element.current) scrollTo(element.current, place)
  }
  const typed = useRef<Typed>({ text: '', at: 0 })
  const take = (step: TreeStep) => {
    const row = tree.rows[active]
    if (!row) return
    switch (step.do) {
      case 'find':
        typed.current = step.typed
        return activate(step.place)
      case 'go':
        return activate(step.place)
      case 'fold':
        return fold(row, step.isOpen)
      case 'choose':
        return onChoose(choice.toggled(step.all ? { first: 0, end: tree.leaves } : row))
    }
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const list = event.currentTarget
    const look = { direction: forward(list), page: pageOf(list) }
    const step = pressStep(event, typed.current, { tree, closed, shown, active }, look)
    if (!step) return
    event.preventDefault()
    take(step)
  }
  return { closed, shown, active, setActive, fold, onKeyDown }
}

interface RowProps {
  id: string
  row: TreeRow
  state: 'all' | 'some' | 'none'
  isActive: boolean
  /** Null for a file and an empty folder. */
  isOpen: boolean | null
  onFold: (isOpen: boolean) => void
  onToggle: () => void
}

function Row({ id, row, state, isActive, isOpen, onFold, onToggle }: RowProps) {
  const { name, depth, size, file } = row
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree has the focus and handles the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus and names its active row
    <div
      id={id}
      role="treeitem"
      className={css.row}
      aria-labelledby={`${id}-name ${id}-size`}
      aria-level={depth + 1}
      aria-setsize={row.siblings}
      aria-posinset={row.position}
      aria-checked={state === 'some' ? 'mixed' : state === 'all'}
      aria-expanded={isOpen ?? undefined}
      data-active={isActive || undefined}
      style={{ '--depth': Math.min(depth, MOST_INDENTS) } as CSSProperties}
      onClick={onToggle}
    >
      {isOpen === null ? (
        <span className={css.gap} />
      ) : (
        // Keys fold the row itself. With a finger, a screen reader has only what can be pressed.
        <button
          type="button"
          className={css.fold}
          tabIndex={-1}
          aria-labelledby={`${id}-name`}
          aria-expanded={isOpen}
          onClick={(event) => {
            event.stopPropagation()
            onFold(!isOpen)
          }}
        >
          <Icon of={ChevronRight} size={16} />
        </button>
      )}
      <CheckMark state={state} />
      <span className={css.icon}>
        <Icon of={file ? fileIcon({ name, category: fileCategory(file.type) }) : FolderIcon} size={18} />
      </span>
      <span id={`${id}-name`} className={css.name}>
        <FileName name={name} />
      </span>
      <bdi id={`${id}-size`} className={css.size}>
        {formatBytes(size)}
      </bdi>
    </div>
  )
}

/** Of a large tree only the top is open, so that it can be overlooked. */
function closedAtFirst({ rows }: PackTree): ReadonlySet<string> {
  if (rows.length <= MOST_OPEN) return new Set()
  return new Set(rows.filter(({ depth, file }) => depth > 0 && !file).map(({ path }) => path))
}

function withPath(paths: ReadonlySet<string>, path: string, isIn: boolean): ReadonlySet<string> {
  const next = new Set(paths)
  if (isIn) next.add(path)
  else next.delete(path)
  return next
}

function rowHeight(): number {
  return ROW_REM * Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
}

function pageOf({ clientHeight }: Element): number {
  return Math.max(1, Math.floor(clientHeight / rowHeight()) - 1)
}

function scrollTo(element: Element, place: number): void {
  const height = rowHeight()
  const top = place * height
  if (top < element.scrollTop) element.scrollTop = top
  const below = top + height - element.clientHeight
  if (below > element.scrollTop) element.scrollTop = below
}
