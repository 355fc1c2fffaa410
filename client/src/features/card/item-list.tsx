import { t } from '@lingui/core/macro'
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { type Card, cardsOf, isBatch } from '../../stores/cards'
import { flash } from '../../ui/flash'
import { useApp } from '../actions'
import { mediaOf, nameOf } from '../item/describe'
import { LEAST_ITEMS, ListSearch, NothingFound } from '../search/list-search'
import { ReceiveAll } from '../transfer/receive-all'
import { useLanguage } from '../use-language'
import css from './item-list.module.css'
import { ListCard } from './list-card'
import { watchNearness } from './near-screen'
import { halves } from './pairing'

/** Cards drawn before it is known which are near the screen; more than fit on it. */
const FIRST = 12
/** The height of most cards in CSS px. A card that was drawn before keeps its own. */
const ASSUMED_HEIGHT = 76

/**
 * All cards that match the search, the newest first. Only cards near the screen are drawn; the others keep their name
 * and their height.
 */
export function ItemList() {
  const { items: itemsStore, pointedOut, search } = useApp().stores
  const cards = useStore(itemsStore, (state) => cardsOf(state.items))
  const found = useStore(search, (state) => state.found)
  const newestFirst = useMemo(
    () => cards.filter(({ id }) => found === null || found.has(id)).reverse(),
    [cards, found],
  )
  const areHalves = useHalves(newestFirst)
  const list = useRef<HTMLUListElement>(null)
  // A search that sets the card aside ends with this, so the entry is there only after the next drawing.
  const wanted = useStore(pointedOut)
  const last = useRef(wanted)
  useEffect(() => {
    if (last.current === wanted) return
    const at = newestFirst.findIndex((card) => card.id === wanted.id)
    if (at === -1) return
    last.current = wanted
    const entry = list.current?.children[at]
    entry?.scrollIntoView({ block: 'center' })
    const card = entry?.querySelector('article')
    if (card) flash(card)
  }, [wanted, newestFirst])
  return (
    <>
      {(cards.length >= LEAST_ITEMS || found !== null) && <ListSearch />}
      <ReceiveAll on="list" />
      {found?.size === 0 && <NothingFound />}
      <ul ref={list} className={css.list} aria-label={t`Shared items`}>
        {newestFirst.map((card, at) => (
          <Entry key={card.id} card={card} isFirst={at < FIRST} isHalf={areHalves[at] ?? false} />
        ))}
      </ul>
    </>
  )
}

type Drawing = { readonly drawn: true } | { readonly drawn: false; readonly height: number }

/** Returns which cards are pictures that stand two in a row. */
function useHalves(cards: readonly Card[]): readonly boolean[] {
  const kinds = useStore(useApp().stores.media, (state) => state.kinds)
  return useMemo(() => {
    const isPicture = (card: Card) => {
      const media = isBatch(card) ? null : mediaOf(card.content, kinds[card.id])
      return media === 'image' || media === 'video'
    }
    return halves(cards.map(isPicture))
  }, [cards, kinds])
}

interface EntryProps {
  card: Card
  isFirst: boolean
  isHalf: boolean
}

const Entry = memo(function Entry({ card, isFirst, isHalf }: EntryProps) {
  useLanguage()
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
    <li
      ref={ref}
      className={isHalf ? css.half : undefined}
      style={state.drawn ? undefined : { height: state.height }}
    >
      {state.drawn ? <ListCard card={card} isHalf={isHalf} /> : <article aria-label={nameOf(card.content)} />}
    </li>
  )
})

/** Whether a card has the focus, plays or has a view open. It then stays drawn until the next time it leaves. */
function isBusy(element: HTMLElement): boolean {
  if (element.contains(document.activeElement)) return true
  if (element.querySelector('[aria-expanded="true"]')) return true
  return [...element.querySelectorAll('audio')].some((sound) => !sound.paused)
}
