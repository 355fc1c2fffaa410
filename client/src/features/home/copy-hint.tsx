import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { cardsOf } from '../../stores/cards'
import { useApp } from '../actions'
import css from './desktop-home.module.css'

/** Tells of the double click while it would copy something: what is selected, or any note while nothing is. */
export function CopyHint() {
  const { stores } = useApp()
  const selected = useStore(stores.canvas, (state) => state.selected)
  const kinds = useStore(stores.media, (state) => state.kinds)
  const canCopy = useStore(stores.items, ({ items }) => {
    const cards = cardsOf(items)
    const chosen = cards.filter(({ id }) => selected.has(id))
    // Of a single file only a picture can be copied, and of a batch the names.
    return (chosen.length > 0 ? chosen : cards).some(
      ({ id, content }) => content.kind !== 'file' || kinds[id]?.media === 'image',
    )
  })
  return canCopy && <p className={css.hint}>{t`Double Click a note to copy`}</p>
}
