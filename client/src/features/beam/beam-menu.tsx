import DoorOpen from 'lucide-react/icons/door-open'
import History from 'lucide-react/icons/history'
import Keyboard from 'lucide-react/icons/keyboard'
import MenuGlyph from 'lucide-react/icons/menu'
import Plus from 'lucide-react/icons/plus'
import QrCode from 'lucide-react/icons/qr-code'
import ScanQrCode from 'lucide-react/icons/scan-qr-code'
import UserPlus from 'lucide-react/icons/user-plus'
import { useCallback, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { mayManage } from '../../stores/beam-access'
import { useBackCloses } from '../../ui/back-closes'
import { cx } from '../../ui/cx'
import { useDismiss } from '../../ui/dismiss'
import { Icon } from '../../ui/icon'
import { Menu, type MenuItem } from '../../ui/menu'
import { useApp } from '../actions'
import { useSession } from '../session/beam'
import { useGone } from '../session/beam-gone'
import css from './beam-menu.module.css'
import { useBeamDialog, useDepartures } from './use-departure'

/** The ways into a beam and out of it, on every page. */
export function BeamMenu({ on }: { on: 'desktop' | 'phone' }) {
  const [isOpen, setOpen] = useState(false)
  const anchor = useRef<HTMLDivElement>(null)
  const close = useCallback(() => setOpen(false), [])
  useDismiss(anchor, isOpen, close)
  useBackCloses(isOpen, close)
  const items = useMenuItems()
  return (
    <div ref={anchor} className={cx(css.anchor, css[on])}>
      <button
        type="button"
        className={css.button}
        aria-label="Beam"
        title="Beam"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon of={MenuGlyph} size={on === 'phone' ? 20 : 18} />
      </button>
      {isOpen && (
        <div className={css.menu}>
          <Menu
            label="Beam"
            items={items.map((item) => ({
              ...item,
              onSelect: () => {
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

function useMenuItems(): readonly MenuItem[] {
  const open = useBeamDialog()
  const { wish } = useDepartures()
  const isIn = useSession() !== null
  const isGone = useGone() !== null
  const hasRecent = useHasRecent()
  const share = useShare()
  const code: MenuItem = { label: 'Show QR', icon: QrCode, onSelect: () => open({ kind: 'code' }) }
  const leave: MenuItem = { label: 'Leave Beam', icon: DoorOpen, onSelect: () => wish({ do: 'leave' }) }
  const recent: MenuItem = { label: 'Recent beams', icon: History, onSelect: () => open({ kind: 'recent' }) }
  return [
    ...(isIn && !isGone ? [code] : []),
    ...(share && !isGone ? [{ label: 'Share with people', icon: UserPlus, onSelect: share }] : []),
    { label: 'New Beam', icon: Plus, onSelect: () => wish({ do: 'new' }) },
    { label: 'Join Beam', icon: Keyboard, onSelect: () => wish({ do: 'join' }) },
    { label: 'Scan QR', icon: ScanQrCode, onSelect: () => wish({ do: 'scan' }) },
    ...(hasRecent ? [recent] : []),
    ...(isIn ? [leave] : []),
  ]
}

/** Returns a function that opens the Share dialog of a saved beam; null for whoever does not manage its shares. */
function useShare(): (() => void) | null {
  const { stores, actions } = useApp()
  const access = useStore(stores.access, (state) => state)
  const session = useSession()
  if (access.kind !== 'saved' || !mayManage(access) || !session) return null
  const { beam_name, link_access } = access.saved
  // The dialog reads the rest.
  const beam = { beam_id: session.beamId, beam_name, created_at: 0, link_access }
  return () => void actions.beams.openSharing(beam)
}

/** Whether the list of recent beams has another one than the current. */
function useHasRecent(): boolean {
  const id = useSession()?.beamId
  return useStore(useApp().stores.recentBeams, ({ beams }) => beams.some(({ beamId }) => beamId !== id))
}
