import { plural, t } from '@lingui/core/macro'
import MenuGlyph from 'lucide-react/icons/menu'
import { Suspense, useCallback, useRef, useState } from 'react'
import { useBackCloses } from '../../ui/back-closes'
import { cx } from '../../ui/cx'
import { useDismiss } from '../../ui/dismiss'
import { Icon } from '../../ui/icon'
import { lazyPart } from '../../ui/lazy-part'
import { useWaiting } from '../transfers/use-waiting'
import css from './beam-menu.module.css'

const BeamCommands = lazyPart(
  () => import('./beam-commands'),
  (m) => m.BeamCommands,
)

/** The ways into a beam and out of it, on every page. The code of the menu is loaded on the first press. */
export function BeamMenu({ on }: { on: 'desktop' | 'phone' }) {
  const [isOpen, setOpen] = useState(false)
  const anchor = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setOpen(false), [])
  useDismiss(anchor, isOpen, close)
  useBackCloses(isOpen, close)
  const waiting = useWaiting().length
  return (
    <div ref={anchor} className={cx(css.anchor, css[on])}>
      <button
        type="button"
        className={css.button}
        aria-label={t`Beam`}
        aria-description={
          waiting > 0 ? plural(waiting, { one: '# file waits', other: '# files wait' }) : undefined
        }
        title={t`Beam`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={MenuGlyph} size={on === 'phone' ? 20 : 18} />
        {waiting > 0 && <span className={css.dot} />}
      </button>
      {isOpen && (
        <div className={css.menu}>
          <Suspense>
            <BeamCommands onClose={close} />
          </Suspense>
        </div>
      )}
    </div>
  )
}
