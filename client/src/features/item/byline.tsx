import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { authorName } from '../../stores/devices'
import { useApp } from '../actions'
import { Age } from './age'
import css from './byline.module.css'

const WHEN = { dateStyle: 'medium', timeStyle: 'short' } as const

/** Who shared an item, and when. The author's name is cut off where there is no room; the tooltip has it whole. */
export function Byline({ item }: { item: Item }) {
  const author = useAuthor(item)
  return (
    <span className={css.byline} title={useByline(item)} data-byline>
      {author && <Author name={author} />}
      <Age at={item.at} />
    </span>
  )
}

/** A name of which the number that tells equal devices apart is never cut off. */
function Author({ name }: { name: string }) {
  const number = / \d+$/.exec(name)?.[0] ?? ''
  return (
    <>
      <bdi className={css.author}>{name.slice(0, name.length - number.length)}</bdi>
      {number && <span>{number.trim()}</span>}
    </>
  )
}

/** Returns the author and the time as one text, for a tooltip. */
export function useByline(item: Item): string {
  return [useAuthor(item), i18n.date(new Date(item.at), WHEN)].filter(Boolean).join(', ')
}

/** Returns `You`, `from` with the author's name, or null while the device does not know itself yet. */
function useAuthor({ from, note }: Item): string | null {
  return useStore(useApp().stores.devices, (state) => {
    if (from === null || from === state.me) return t`You`
    // By another device of this person's account, which may have left long ago.
    if (note?.mine && state.names[from] === undefined) return t`You`
    if (state.me === null) return null
    const author = authorName(state, from)
    return t`from ${author}`
  })
}
