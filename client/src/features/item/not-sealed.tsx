import { t } from '@lingui/core/macro'
import LockOpen from 'lucide-react/icons/lock-open'
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { looksSealed } from '../../stores/encryption'
import { Icon } from '../../ui/icon'
import { useApp } from '../actions'
import css from './item-notice.module.css'

/** Marks an item that came in clear text into a sealed beam: without the mark, the server could pass its own text off as sealed. */
export function NotSealed({ items }: { items: readonly Pick<Item, 'isClear'>[] }) {
  // Also before the keys are there, where the link says that there are some: the notes would grow, and move, when all marks came at once.
  const isSealedBeam = useStore(useApp().stores.encryption, looksSealed)
  if (!isSealedBeam || !items.some(({ isClear }) => isClear)) return null
  const why = t`The server can read this, and could have written it itself.`
  return (
    <p className={css.audience} title={why}>
      <Icon of={LockOpen} size={12} />
      <span>
        {t`Not encrypted`}
        <span className="visually-hidden">. {why}</span>
      </span>
    </p>
  )
}
