import { t } from '@lingui/core/macro'
import { useEffect } from 'react'
import { useStore } from 'zustand'
import type { DeviceId, ItemId } from '../../protocol/bindings'
import { type Card, cardsOf } from '../../stores/cards'
import { deviceName } from '../../stores/devices'
import type { CardFlow } from '../../stores/flows'
import { addressIn } from '../../stores/transfers'
import { Dialog } from '../../ui/dialog'
import { useApp } from '../actions'
import { countOf, nameOf } from '../item/describe'
import { Checksum } from './checksum'
import { DeviceDetails } from './device-details'

/** How a file or a batch is sent or received: with each device, how fast, and over which connections. */
export function DetailsDialog({ card: id, onClose }: { card: ItemId; onClose: () => void }) {
  const { stores } = useApp()
  const flows = useStore(stores.flows, (state) => state[id])
  const card = useStore(stores.items, ({ items }) => cardsOf(items).find((one) => one.id === id))
  const devices = useStore(stores.devices)
  const url = useStore(stores.transfers, ({ transfers }) => addressIn(transfers[id]))
  const isGone = !flows || !card
  useEffect(() => {
    if (isGone) onClose()
  }, [isGone, onClose])
  if (isGone) return null
  const isSending = card.from === null || card.from === devices.me
  return (
    <Dialog title={t`Details`} sub={titleOf(card)} width="wide" cross onClose={onClose}>
      {(Object.entries(flows) as [DeviceId, CardFlow][]).map(([device, flow]) => {
        const name = deviceName(devices, device)
        return (
          <DeviceDetails
            key={device}
            device={device}
            heading={isSending ? toText(name) : fromText(name)}
            card={flow}
            isSending={isSending}
          />
        )
      })}
      {url !== null && card.content.kind === 'file' && <Checksum url={url} size={card.content.size} />}
    </Dialog>
  )
}

function titleOf({ content }: Card): string {
  if (content.kind === 'batch') return countOf(content)
  return content.kind === 'file' ? content.name : nameOf(content)
}

function toText(device: string): string {
  return t`To ${device}`
}

function fromText(deviceName: string): string {
  return t`From ${deviceName}`
}
