import { t } from '@lingui/core/macro'
import Send from 'lucide-react/icons/send'
import { useStore } from 'zustand'
import type { ItemId } from '../../protocol/bindings'
import { IconButton } from '../../ui/icon-button'
import { useApp } from '../actions'

/** Whether there are several devices to choose from. */
export function useCanSendOn(): boolean {
  return useStore(useApp().stores.devices, ({ devices }) => devices.length > 2)
}

/** The button that sends an item on to one device. Shown when there are several to choose from. */
export function SendOn({ id, look, iconSize }: { id: ItemId; look: 'bar' | 'small'; iconSize: number }) {
  const { stores } = useApp()
  if (!useCanSendOn()) return null
  return (
    <IconButton
      icon={Send}
      label={t`Send to one device`}
      look={look}
      iconSize={iconSize}
      aria-haspopup="dialog"
      onClick={() => stores.beamDialog.setState({ kind: 'send', item: id }, true)}
    />
  )
}
