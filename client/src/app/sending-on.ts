/** Sends an item that is in the beam to one device: as a copy that only that device gets (S33). */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import { AUTO_RECEIVE_BYTES } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import { deviceName } from '../stores/devices'
import { addressOf } from '../stores/transfers'
import { readBlob } from '../transport/http'
import { readSealedStart } from '../transport/sealed-start'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { type Sharing, share, whyNotShare } from './sharing'

const notHere = () => t`This file is not on this device. Receive it first.`
const tooLarge = () => t`This file is too large to send on. Save it, then send it from the list of devices.`

export function createSendingOn(
  context: Context,
  shareCopy: Sharing['shareCopy'],
): Pick<Actions, 'sendItem'> {
  const { stores, toaster } = context
  return {
    async sendItem(id, to) {
      const item = stores.items.getState().items.find((one) => one.id === id)
      const refusal = whyNotShare(context)
      if (!item || refusal) return void (refusal && toaster.bad(refusal))
      const mark = item.isClear && { isClear: item.isClear }
      if (item.content.kind === 'file') {
        const file = await fileOf(context, item, item.content)
        if (typeof file === 'string') return void toaster.bad(file)
        shareCopy({ file, manifest: item.content.manifest, ...mark }, to)
        return
      }
      share(context, newItemId(), item.message, item.extra, { to, ...mark })
      const device = deviceName(stores.devices.getState(), to)
      toaster.ok(t`Sent to ${device}`)
    },
  }
}

/** Returns the file of an item, or why it cannot be sent from here. */
async function fileOf(
  { stores, transfers }: Context,
  { id }: Item,
  content: Extract<Item['content'], { kind: 'file' }>,
): Promise<File | string> {
  const { name, size, type } = content
  const own = transfers.offered(id)
  if (own) return new File([own], name, { type })
  const address = addressOf(content, stores.transfers.getState().transfers[id])
  const read = readerOf(content, address)
  if (!read) return notHere()
  // Unlike a file of this device, what was received is read into memory.
  if (size > AUTO_RECEIVE_BYTES) return tooLarge()
  try {
    return new File([await read()], name, { type })
  } catch {
    return notHere()
  }
}

/** Returns what reads a whole file: from here, or from the copy that the server has, clear or sealed (E7). */
function readerOf(
  { url, seal, size }: Extract<Item['content'], { kind: 'file' }>,
  address: string | null,
): (() => Promise<BlobPart>) | null {
  if (address !== null) return () => readBlob(address)
  return url !== null && seal ? () => readSealedStart(url, { size, seal }, size) : null
}
