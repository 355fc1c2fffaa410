import { t } from '@lingui/core/macro'
import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Plus from 'lucide-react/icons/plus'
import Share from 'lucide-react/icons/share'
import X from 'lucide-react/icons/x'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useBackCloses } from '../../ui/back-closes'
import { cx } from '../../ui/cx'
import { useDismiss } from '../../ui/dismiss'
import { heightAs } from '../../ui/height-property'
import { Icon } from '../../ui/icon'
import { Menu } from '../../ui/menu'
import { useApp } from '../actions'
import { useHasItems, useMayShare } from '../session/beam'
import css from './space-menu.module.css'

const CLOSING_MS = 300

// Toasts are above the open menu, which is above the button.
const menuHeight = heightAs('--menu', 86)

/** The floating button and its menu. The menu stays for 300 ms after a choice. */
export function SpaceMenu() {
  const { actions } = useApp()
  const hasItems = useHasItems()
  const mayShare = useMayShare()
  const [state, setState] = useState<'closed' | 'open' | 'closing'>('closed')
  const anchor = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const close = useCallback(() => {
    setState('closing')
    button.current?.focus()
  }, [])
  useDismiss(anchor, state === 'open', close)
  useBackCloses(state === 'open', close)
  useEffect(() => {
    if (state !== 'closing') return
    const timer = setTimeout(() => setState('closed'), CLOSING_MS)
    return () => clearTimeout(timer)
  }, [state])
  const then = (act: () => unknown) => () => {
    close()
    act()
  }
  const open = state === 'open'
  const create = {
    label: t`Create`,
    hint: t`Write a note`,
    icon: NotebookPen,
    onSelect: then(() => actions.notes.create()),
  }
  const paste = {
    label: t`Paste`,
    hint: t`From the clipboard`,
    icon: ClipboardPaste,
    onSelect: then(() => actions.paste('space')),
  }
  const share = {
    label: t`Share`,
    hint: t`Invite a device`,
    icon: Share,
    onSelect: then(() => actions.shareLink()),
  }
  return (
    <>
      {state !== 'closed' && <div className={cx(css.scrim, !open && css.closing)} />}
      <div ref={anchor} className={css.anchor} data-dock>
        {state !== 'closed' && (
          <div ref={menuHeight} className={cx(css.menu, !open && css.closing)}>
            <Menu label={t`Space Menu`} roomy heading items={mayShare ? [create, paste, share] : [share]} />
          </div>
        )}
        <button
          ref={button}
          type="button"
          className={cx(css.fab, (open || !hasItems) && css.quiet)}
          aria-label={open ? t`Close` : t`Space Menu`}
          aria-haspopup="menu"
          aria-expanded={open}
          onClick={() => (open ? close() : setState('open'))}
        >
          <Icon of={open ? X : Plus} size={26} />
        </button>
      </div>
    </>
  )
}
