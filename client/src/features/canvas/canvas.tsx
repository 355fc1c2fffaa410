import {
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import type { Item } from '../../protocol/item'
import { useHouse } from '../actions'
import { NoteCard } from '../item/note-card'
import css from './canvas.module.css'
import { ASSUMED_HEIGHT, flow } from './layout'

/** The ground with the notes on it. */
export function Canvas() {
  const items = useStore(useHouse().stores.items, (state) => state.items)
  const ground = useRef<HTMLDivElement>(null)
  const width = useWidth(ground)
  const [heights, setHeights] = useState<ReadonlyMap<ItemId, number>>(new Map())
  const onHeight = useCallback((id: ItemId, height: number) => {
    setHeights((old) => (old.get(id) === height ? old : new Map(old).set(id, height)))
  }, [])
  const layout = useMemo(
    () =>
      flow(
        items.map((item) => heights.get(item.id) ?? ASSUMED_HEIGHT),
        width,
      ),
    [items, heights, width],
  )
  useNewestInView(ground, items)
  return (
    <div ref={ground} className={css.ground}>
      <ul className={css.notes} style={{ height: layout.height }} aria-label="Shared items">
        {items.map((item, index) => (
          <Placed
            key={item.id}
            item={item}
            x={layout.places[index]?.x ?? 0}
            y={layout.places[index]?.y ?? 0}
            onHeight={onHeight}
          />
        ))}
      </ul>
    </div>
  )
}

interface PlacedProps {
  item: Item
  x: number
  y: number
  onHeight: (id: ItemId, height: number) => void
}

const Placed = memo(function Placed({ item, x, y, onHeight }: PlacedProps) {
  const ref = useRef<HTMLLIElement>(null)
  const { id } = item
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const measure = () => onHeight(id, element.offsetHeight)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [id, onHeight])
  return (
    <li ref={ref} className={css.place} style={{ left: x, top: y }}>
      <NoteCard item={item} />
    </li>
  )
})

function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(window.innerWidth)
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref])
  return width
}

/** What was just added comes into view. The first fill, deleting and changing move nothing. */
function useNewestInView(ground: RefObject<HTMLElement | null>, items: readonly Item[]) {
  const before = useRef(items.length)
  useEffect(() => {
    const grew = before.current > 0 && items.length > before.current
    before.current = items.length
    if (grew)
      ground.current?.querySelector('li:last-child')?.scrollIntoView({ block: 'nearest', behavior: 'smooth' })
  }, [ground, items])
}
