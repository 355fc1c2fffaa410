import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { flash } from '../../ui/flash'
import { useApp } from '../actions'
import { nameOf } from '../item/describe'
import { LEAST_ITEMS, ListSearch, NothingFound } from '../search/list-search'
import { ReceiveAll } from '../transfer/receive-all'
import css from './item-list.module.css'
import { ListCard } from './list-card'
import { watchNearness } from './near-screen'

/** Cards drawn before it is known which are near the screen; more than fit on it. */
const FIRST = 12
/** The height of most cards in CSS px. A card that was drawn before keeps its own. */
const ASSUMED_HEIGHT = 76

/** All items that match the search, the newest first. Only cards near the screen are drawn; the others keep their name and their height. */
export function ItemList() {
  const { items: itemsStore, pointedOut, search } = useApp().stores
  const items = useStore(itemsStore, (state) => state.items)
  const found = useStore(search, (state) => state.found)
  const newestFirst = useMemo(
    () => items.filter(({ id }) => found === null || found.has(id)).reverse(),
    [items, found],
  )
  const list = useRef<HTMLUListElement>(null)
  useEffect(
    () =>
      pointedOut.subscribe(({ id }) => {
        const entry = list.current?.children[newestFirst.findIndex((item) => item.id === id)]
        entry?.scrollIntoView({ block: 'center' })
        const card = entry?.querySelector('article')
        if (card) flash(card)
      }),
    [pointedOut, newestFirst],
  )
  return (
    <>
      {(items.length >= LEAST_ITEMS || found !== null) && <ListSearch />}
      <ReceiveAll on="list" />
      {found?.size === 0 && <NothingFound />}
      <ul ref={list} className={css.list} aria-label="Shared items">
        {newestFirst.map((item, at) => (
          <Entry key={item.id} item={item} isFirst={at < FIRST} />
        ))}
      </ul>
    </>
  )
}

type Drawing = { readonly drawn: true } | { readonly drawn: false; readonly height: number }

const Entry = memo(function Entry({ item, isFirst }: { item: Item; isFirst: boolean }) {
  const ref = useRef<HTMLLIElement>(null)
  const [state, setState] = useState<Drawing>(
    isFirst ? { drawn: true } : { drawn: false, height: ASSUMED_HEIGHT },
  )
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    return watchNearness(element, (isNear) => {
      if (isNear) setState((old) => (old.drawn ? old : { drawn: true }))
      else if (!isBusy(element))
        setState((old) => (old.drawn ? { drawn: false, height: element.offsetHeight } : old))
    })
  }, [])
  return (
    <li ref={ref} style={state.drawn ? undefined : { height: state.height }}>
      {state.drawn ? <ListCard item={item} /> : <article aria-label={nameOf(item.content)} />}
    </li>
  )
})

/** Whether a card has the focus, plays or has a view open. It then stays drawn until the next time it leaves. */
function isBusy(element: HTMLElement): boolean {
  if (element.contains(document.activeElement)) return true
  if (element.querySelector('[aria-expanded="true"]')) return true
  return [...element.querySelectorAll('audio')].some((sound) => !sound.paused)
}
