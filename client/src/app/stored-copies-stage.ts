/** The stored copies of a page whose uploads are the test's to end. */
import type { BeamId, DeviceId, ItemId, Role, UploadedFile } from '../protocol/bindings'
import { type FileSeal, pendingItem } from '../protocol/item'
import { reduceItems } from '../stores/items'
import { reduceKeeping } from '../stores/keeping'
import { createStores, type Stores } from '../stores/stores'
import { reduceTransfers } from '../stores/transfers'
import type { UploadEnd, UploadEvents, UploadTarget } from '../transport/upload'
import { type OutgoingFile, StoredCopies } from './stored-copies'

export const BEAM = 'beam' as BeamId

export const outgoing = (id: string, type = 'image/png'): OutgoingFile => ({
  id: id as ItemId,
  file: new File(['four'], `${id}.png`, { type, lastModified: MODIFIED }),
  name: `${id}.png`,
  url: `blob:${id}`,
})
export const MODIFIED = 1_700_000_000_000
export const STORED: UploadedFile = {
  id: '0123456789abcdef',
  url: '/api/uploads/0123456789abcdef',
  name: 'x.png',
  size: 4,
  type: 'image/png',
  expires_at: null,
}

/** The uploads under way, by file name. */
export let under: Map<string, UploadEvents>
export let cancelled: string[]
export let targets: UploadTarget[]
export let stores: Stores
export let copies: StoredCopies
export let shared: { id: string; message: unknown; extra: string }[]
export let ends: string[]
export let offered: string[]
export let offeredSeals: (FileSeal | undefined)[]
/** The files of which the person was told that there is no copy, and why. */
export let notStored: [string, string][]
/** The copies that the server has removed, and those at which this device has looked. */
export let gone: Set<string>
export let looked: string[]
/** Whether the server answers those looks. */
export const server = { answers: true }

/** Comes before each test. */
export const begins = () => {
  stores = createStores()
  under = new Map()
  cancelled = []
  targets = []
  shared = []
  ends = []
  offered = []
  offeredSeals = []
  notStored = []
  gone = new Set()
  looked = []
  server.answers = true
  const upload = (file: File, target: UploadTarget, events: UploadEvents) => {
    targets.push(target)
    under.set(file.name, events)
    return () => {
      under.delete(file.name)
      cancelled.push(file.name)
    }
  }
  copies = new StoredCopies(
    stores,
    upload,
    (id, message, extra) => shared.push({ id, message, extra }),
    ({ id, url, seal }) => {
      offered.push(id)
      offeredSeals.push(seal)
      stores.transfers.setState((state) => reduceTransfers(state, { type: 'offering', id, url }), true)
    },
    ({ id }, why) => notStored.push([id, why]),
    async (url) => {
      looked.push(url)
      return server.answers ? gone.has(url) : null
    },
  )
  const session = { beamId: BEAM, beamKey: null, beamName: '', expiresAt: null }
  stores.session.setState({ status: 'set', session }, true)
}

export const answer = (name: string, end: UploadEnd) => {
  const events = under.get(name)
  under.delete(name)
  events?.onEnd(end)
}
export const isStored = (name: string) => answer(name, { status: 'stored', file: STORED })
export const first = () => {
  copies.show(outgoing('a'))
  copies.storeFirst(outgoing('a'), BEAM, (end) => ends.push(end))
}
/** Makes a file that devices receive from here, and shows it as this device's own item. */
export const hold = (file: OutgoingFile) => {
  const item = pendingItem(file.id, file.name, 'file', 0)
  stores.items.setState((state) => reduceItems(state, { type: 'shared', item }), true)
  const offering = { type: 'offering', id: file.id, url: file.url } as const
  stores.transfers.setState((state) => reduceTransfers(state, offering), true)
  copies.storeBeside(file)
}
export const hideNotes = () =>
  stores.items.setState((state) => reduceItems(state, { type: 'notesGone' }), true)
export const enterSaved = (role: Role = 'write') =>
  stores.access.setState(
    { kind: 'saved', saved: { beam_name: 'cabin', role, link_access: 'write', by_link: false } },
    true,
  )
export const transfer = (id: string) => stores.transfers.getState().transfers[id as ItemId]
export const names = () => [...under.keys()]
export const keep = (kept: boolean) => {
  const by = 'me' as DeviceId
  const event = { type: 'changed', kept: kept ? { until: 1, by } : null } as const
  stores.keeping.setState((state) => reduceKeeping(state, event), true)
}
/** The server's version of this device's item. */
export const echo = (id: string, url?: string) => {
  const message = { file: { name: `${id}.png`, size: 4, type: 'image/png', ...(url ? { url } : {}) } }
  const item = { ...pendingItem(id as ItemId, message, 'image', 0), seq: 1, from: 'me' as DeviceId }
  stores.items.setState((state) => reduceItems(state, { type: 'received', item }), true)
}
