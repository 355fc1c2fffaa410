import { t } from '@lingui/core/macro'
import Ellipsis from 'lucide-react/icons/ellipsis'
import { useCallback, useRef, useState } from 'react'
import { cx } from './cx'
import { useDismiss } from './dismiss'
import { IconButton } from './icon-button'
import { Menu, type MenuItem } from './menu'
import css from './more-menu.module.css'

/** Room in CSS px that a menu needs below its button; with less it opens upwards. */
const ROOM_BELOW = 280

/** The rarely used commands on something, behind a button with three dots. */
export function MoreMenu({
  label,
  items,
  iconSize = 18,
}: {
  /** Names the menu, as in `More of Kitchen`. */
  label: string
  items: readonly MenuItem[]
  iconSize?: number
}) {
  const [open, setOpen] = useState<'no' | 'up' | 'down'>('no')
  const anchor = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setOpen('no'), [])
  useDismiss(anchor, open !== 'no', close)
  const show = () => {
    const box = anchor.current?.getBoundingClientRect()
    setOpen(box && window.innerHeight - box.bottom < ROOM_BELOW ? 'up' : 'down')
  }
  return (
    <div ref={anchor} className={css.anchor}>
      <IconButton
        icon={Ellipsis}
        label={t`More`}
        iconSize={iconSize}
        aria-haspopup="menu"
        aria-expanded={open !== 'no'}
        onClick={open === 'no' ? show : close}
      />
      {open !== 'no' && (
        <div className={cx(css.menu, css[open])}>
          <Menu
            label={label}
            items={items.map((item) => ({
              ...item,
              onSelect() {
                close()
                item.onSelect()
              },
            }))}
          />
        </div>
      )}
    </div>
  )
}
