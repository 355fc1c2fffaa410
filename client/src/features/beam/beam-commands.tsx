import { t } from '@lingui/core/macro'
import ArrowDownUp from 'lucide-react/icons/arrow-down-up'
import DoorOpen from 'lucide-react/icons/door-open'
import Download from 'lucide-react/icons/download'
import History from 'lucide-react/icons/history'
import Keyboard from 'lucide-react/icons/keyboard'
import Languages from 'lucide-react/icons/languages'
import Plus from 'lucide-react/icons/plus'
import QrCode from 'lucide-react/icons/qr-code'
import ScanQrCode from 'lucide-react/icons/scan-qr-code'
import UserPlus from 'lucide-react/icons/user-plus'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { Item } from '../../protocol/item'
import { mayManage } from '../../stores/beam-access'
import { cardsOf, isBatch } from '../../stores/cards'
import { receivedFiles } from '../../stores/downloads'
import { Menu, type MenuItem } from '../../ui/menu'
import { useApp } from '../actions'
import { useSession } from '../session/beam'
import { useGone } from '../session/beam-gone'
import { useUnderWay } from '../transfers/use-under-way'
import { useWaiting } from '../transfers/use-waiting'
import { useBeamDialog, useDepartures } from './use-departure'

/** The commands of the beam's menu: what helps in the state that the beam is in. */
export function BeamCommands({ onClose }: { onClose: () => void }) {
  const items = useMenuItems()
  const closing = (item: MenuItem): MenuItem => ({
    ...item,
    onSelect: () => {
      onClose()
      item.onSelect()
    },
  })
  return <Menu label={t`Beam`} items={items.map(closing)} />
}

function useMenuItems(): readonly MenuItem[] {
  const open = useBeamDialog()
  const { wish } = useDepartures()
  const isIn = useSession() !== null
  const isGone = useGone() !== null
  const hasRecent = useHasRecent()
  const transfers = useTransfersItem()
  const saveAll = useSaveAll()
  const share = useShare()
  const code: MenuItem = { label: t`Show QR`, icon: QrCode, onSelect: () => open({ kind: 'code' }) }
  const leave: MenuItem = { label: t`Leave Beam`, icon: DoorOpen, onSelect: () => wish({ do: 'leave' }) }
  const recent: MenuItem = { label: t`Recent beams`, icon: History, onSelect: () => open({ kind: 'recent' }) }
  const language: MenuItem = {
    label: t`Language`,
    icon: Languages,
    onSelect: () => open({ kind: 'language' }),
  }
  return [
    ...(isIn && !isGone ? [code] : []),
    ...(transfers ? [transfers] : []),
    ...(saveAll ? [saveAll] : []),
    ...(share && !isGone ? [{ label: t`Share with people`, icon: UserPlus, onSelect: share }] : []),
    { label: t`New Beam`, icon: Plus, onSelect: () => wish({ do: 'new' }) },
    { label: t`Join Beam`, icon: Keyboard, onSelect: () => wish({ do: 'join' }) },
    { label: t`Scan QR`, icon: ScanQrCode, onSelect: () => wish({ do: 'scan' }) },
    ...(hasRecent ? [recent] : []),
    language,
    ...(isIn ? [leave] : []),
  ]
}

/** Returns the command for the list of transfers; null while nothing moves and nothing waits. */
function useTransfersItem(): MenuItem | null {
  const open = useBeamDialog()
  const { actions } = useApp()
  // What is on the disk changes without a word to this page, also in other tabs.
  useEffect(() => actions.listUnfinished(), [actions])
  const moving = useUnderWay().length
  const waiting = useWaiting().length
  if (moving + waiting === 0) return null
  return { label: t`Transfers`, icon: ArrowDownUp, onSelect: () => open({ kind: 'transfers' }) }
}

/** Returns the command that saves what was received; null where it would do no more than the button of one card. */
function useSaveAll(): MenuItem | null {
  const { stores, actions } = useApp()
  useStore(stores.transfers)
  const cards = useStore(stores.items, ({ items }) => countCards(items, receivedFiles(stores)))
  if (cards < 2) return null
  return { label: t`Save everything received`, icon: Download, onSelect: () => void actions.saveEverything() }
}

/** Returns how many cards have one of these files. */
function countCards(items: readonly Item[], files: readonly Pick<Item, 'id'>[]): number {
  if (files.length < 2) return files.length
  const wanted = new Set(files.map(({ id }) => id))
  return cardsOf(items).filter((card) =>
    isBatch(card) ? card.content.files.some(({ id }) => wanted.has(id)) : wanted.has(card.id),
  ).length
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
