/** Sharing and receiving items. */
import type { Actions } from '../features/actions'
import { AUTO_RECEIVE_BYTES, type DeviceId, type ItemId, MAX_MESSAGE_BYTES } from '../protocol/bindings'
import { displayName, fileItemMessage, type Item, textMessage } from '../protocol/item'
import { mayShare } from '../stores/beam-access'
import { reduceItems } from '../stores/items'
import { reduceTransfers, type TransfersEvent } from '../stores/transfers'
import { readMe } from '../transport/account-calls'
import { upload, uploadAfter } from '../transport/upload'
import type { Context } from './context'
import { newItemId } from './random-ids'
import { createUploads, type OutgoingFile, type Uploads } from './uploads'

/** Room for the rest of a `share_clipboard` beside its text. */
const ENVELOPE_BYTES = 1024

type Sharing = Pick<Actions, 'shareText' | 'shareFiles' | 'receive' | 'saveAs' | 'canSaveAs' | 'cancel'> & {
  /** Shares a file under an id that something else names already. */
  shareFileAs(id: ItemId, file: File): void
}

export function createSharing(context: Context): Sharing {
  const { stores, transfers } = context
  // Asking who one is renews a login that has grown stale; an upload itself is never refused for one.
  const isLoggedIn = () => stores.account.getState().status === 'authenticated'
  const uploads = createUploads(
    stores,
    uploadAfter(async () => isLoggedIn() && (await readMe()), upload),
  )
  const find = (id: ItemId) => stores.items.getState().items.find((item) => item.id === id)

  return {
    shareText(text) {
      const trimmed = text.trim()
      if (trimmed === '' || !canShare(context)) return
      // Longer text becomes a file: a message has a limit, a file has none.
      if (byteLength(JSON.stringify(trimmed)) > MAX_MESSAGE_BYTES - ENVELOPE_BYTES) {
        return shareFile(context, uploads, new File([trimmed], 'Text.txt', { type: 'text/plain' }))
      }
      const { message, extra } = textMessage(trimmed)
      share(context, newItemId(), message, extra)
    },
    shareFiles(files) {
      if (!canShare(context)) return
      for (const file of files) shareFile(context, uploads, file)
    },
    shareFileAs: (id, file) => shareFile(context, uploads, file, id),
    receive(id) {
      const item = find(id)
      if (item) receive(context, item, null)
    },
    canSaveAs: 'showSaveFilePicker' in globalThis,
    async saveAs(id) {
      const item = find(id)
      if (item?.content.kind !== 'file') return
      const picked = await pickFile(displayName(item.content.name))
      if (picked) receive(context, item, picked)
    },
    cancel(id: ItemId, device?: DeviceId) {
      const transfer = stores.transfers.getState().transfers[id]
      // Nobody has heard of a file that is still on its way to the server.
      if (transfer?.role === 'storing') return forget(context, id)
      // What has failed moves no more: giving it up offers it again.
      if (transfer?.role === 'receiving' && transfer.state.status === 'failed') {
        put(context, { type: 'receiving', id, state: { status: 'offered' } })
      } else transfers.tell({ do: 'cancel', id, device: device ?? null })
    },
  }
}

/** Begins to receive what needs no tap: media up to 25 MB. Everything else is offered. */
export function receiveWhatComes(context: Context): void {
  const { stores } = context
  for (const item of stores.items.getState().items) {
    if (item.content.kind !== 'file' || item.content.url !== null || item.from === null) continue
    if (stores.transfers.getState().transfers[item.id]) continue
    if (item.from === stores.devices.getState().me) {
      // Shared from here before the page was loaded anew.
      const why = 'This page was reloaded, so the file is no longer here. Share it again.'
      put(context, { type: 'receiving', id: item.id, state: { status: 'failed', received: 0, why } })
    } else if (item.content.category !== 'file' && item.content.size <= AUTO_RECEIVE_BYTES) {
      receive(context, item, null)
    } else {
      put(context, { type: 'receiving', id: item.id, state: { status: 'offered' } })
    }
  }
}

function receive({ transfers }: Context, item: Item, picked: FileSystemFileHandle | null): void {
  if (item.content.kind !== 'file' || item.from === null) return
  const { size } = item.content
  transfers.tell({
    do: 'receive',
    file: { id: item.id, from: item.from, size, type: safeType(item.content.type) },
    picked,
  })
}

/** A type under which a blob address never runs script: media as they are, everything else as bytes. */
function safeType(type: string): string {
  const isInert = /^(?:audio|video)\/[\w.+-]+$|^image\/(?:png|jpeg|gif|webp|avif|bmp)$/.test(type)
  return isInert ? type : 'application/octet-stream'
}

function shareFile(context: Context, uploads: Uploads, file: File, id = newItemId()): void {
  const { stores, toaster } = context
  const name = displayName(file.name)
  const url = URL.createObjectURL(file.slice(0, file.size, safeType(file.type)))
  const outgoing = { id, file, name, url }
  const session = stores.session.getState()
  toaster.info(`Uploading ${name}`)
  if (session.status !== 'set' || !uploads.wants(file)) return offerFile(context, outgoing)
  uploads.start(outgoing, session.session.beamId, {
    onStored(message, extra) {
      toaster.ok(`Uploaded "${name}" Successfully!`)
      share(context, outgoing.id, message, extra)
    },
    onFailed() {
      toaster.bad('Failed to upload!')
      // Nothing is lost: it waits for a device, as other files do.
      offerFile(context, outgoing)
    },
  })
}

/** Shares a file that devices take from here. */
function offerFile(context: Context, { id, file, name, url }: OutgoingFile): void {
  const { message, extra } = fileItemMessage({ name, size: file.size, type: file.type })
  context.transfers.tell({ do: 'offer', id, file })
  put(context, { type: 'offering', id, url })
  share(context, id, message, extra)
}

/** Takes away what only this device knows of. */
export function forget({ stores }: Context, id: ItemId): void {
  const transfer = stores.transfers.getState().transfers[id]
  if (transfer?.role === 'storing') URL.revokeObjectURL(transfer.url)
  const event = { type: 'deleted', message: null, id } as const
  stores.items.setState((state) => reduceItems(state, event), true)
  put({ stores }, { type: 'forgotten', id })
}

/** Why nothing can be shared from here; null when it can. */
export function whyNotShare({ stores, live }: Pick<Context, 'stores' | 'live'>): string | null {
  if (!live()) return 'Join a beam first, then share.'
  return mayShare(stores.access.getState()) ? null : 'You can only read in this beam.'
}

function canShare(context: Context): boolean {
  const refusal = whyNotShare(context)
  if (refusal) context.toaster.bad(refusal)
  return refusal === null
}

/** Shown at once, and in the beam's order once the server has echoed it; an id that is here already changes that item. */
export function share({ stores, live }: Context, id: ItemId, message: unknown, extra: string): void {
  const event = { type: 'shared', id, message, extra, at: Date.now() } as const
  stores.items.setState((state) => reduceItems(state, event), true)
  live()?.share(id, message, extra)
}

function put({ stores }: Pick<Context, 'stores'>, event: TransfersEvent): void {
  stores.transfers.setState((state) => reduceTransfers(state, event), true)
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength
}

/** Null when the person closed the picker. */
async function pickFile(suggestedName: string): Promise<FileSystemFileHandle | null> {
  const { showSaveFilePicker } = globalThis as unknown as {
    showSaveFilePicker(options: { suggestedName: string }): Promise<FileSystemFileHandle>
  }
  try {
    return await showSaveFilePicker({ suggestedName })
  } catch {
    return null
  }
}
