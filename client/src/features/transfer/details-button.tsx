/** Opens the details of a transfer. */
import { t } from '@lingui/core/macro'
import Activity from 'lucide-react/icons/activity'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { IconButton } from '../../ui/icon-button'
import type { MenuItem } from '../../ui/menu'
import { useApp } from '../actions'

/** Returns the command that shows the details of a card; null while nothing has moved. */
export function useDetailsCommand(card: ItemId): MenuItem | null {
  const { flows, beamDialog } = useApp().stores
  const hasMoved = useStore(flows, (state) => state[card] !== undefined)
  if (!hasMoved) return null
  const onSelect = () => beamDialog.setState({ kind: 'details', card }, true)
  return { label: t`Details`, icon: Activity, onSelect }
}

/** The button above a note. */
export function DetailsButton({ card }: { card: ItemId }) {
  const command = useDetailsCommand(card)
  if (!command) return null
  const { icon, label, onSelect } = command
  return (
    <IconButton
      icon={icon}
      label={label}
      look="small"
      iconSize={15}
      aria-haspopup="dialog"
      onClick={onSelect}
    />
  )
}
