/** The composition root: the only place that knows both transport and stores. */
import type { Actions, House } from '../features/actions'
import { BEAM_PARAM, findBeamId, parseBeamId } from '../protocol/beam-link'
import { BEAM_LIFETIME_MS, type BeamId } from '../protocol/bindings'
import type { BeamSession } from '../stores/beam-session'
import { createStores } from '../stores/stores'
import { createBeam, readSite } from '../transport/http'
import type { LiveBeamStatus } from '../transport/live-beam'
import { Transfers } from '../transport/transfers'
import { type BeamConnection, joinBeam } from './beam-connection'
import { createClipboard } from './clipboard'
import type { Context } from './context'
import { clearSession, loadSession, saveSession } from './session-storage'
import { createSharing, receiveWhatComes } from './sharing'
import { createToaster } from './toaster'
import { createTransferNews } from './transfer-news'

/** From this width of the window on, a beam is made by itself. */
const AUTO_CREATE_WIDTH = 1024
const UNTITLED = 'Untitled Beam'

/** Starts everything that lives as long as the page. Call it once. */
export function startServices(): House {
  const stores = createStores()
  const toaster = createToaster(stores.toasts)
  let connection: BeamConnection | null = null
  const news = createTransferNews(stores, toaster, () => connection?.links ?? null)
  const transfers = new Transfers((event) => news(event, (to, frame) => connection?.live.relay(to, frame)))
  const context: Context = { stores, toaster, transfers, live: () => connection?.live ?? null }

  const enter = (session: BeamSession, onStatus: (status: LiveBeamStatus) => void = () => {}) => {
    connection?.leave()
    saveSession(session)
    stores.session.setState({ status: 'set', session }, true)
    connection = joinBeam(session, stores, transfers, toaster, {
      onStatus(status) {
        stores.connection.setState(status, true)
        onStatus(status)
      },
      onItems: () => receiveWhatComes(context),
    })
  }
  const newBeam = async () => {
    stores.session.setState({ status: 'creating' }, true)
    try {
      const { beam_id, beam_key, expires_at } = await createBeam()
      enter({ beamId: beam_id, beamKey: beam_key, beamName: '', expiresAt: expires_at })
    } catch {
      stores.session.setState({ status: 'failed' }, true)
    }
  }
  const join = (beamId: BeamId) => {
    const { session } = { session: null, ...stores.session.getState() }
    if (session?.beamId !== beamId) enter(joined(beamId))
  }

  const sharing = createSharing(context)
  const actions: Actions = {
    ...sharing,
    ...createClipboard(context, sharing),
    newBeam,
    joinBeam(text) {
      const beamId = findBeamId(text)
      if (!beamId) return false
      join(beamId)
      toaster.ok('Joined Beam successfully')
      return true
    },
    reconnect: () => connection?.live.wake(),
    dismissToast: (id) => toaster.dismiss(id),
  }

  readSiteInto(stores)
  begin(enter, newBeam)
  wakeWithThePage(() => stores.connection.getState().status === 'reconnecting' && connection?.live.wake())
  return { stores, actions }
}

function joined(beamId: BeamId): BeamSession {
  return { beamId, beamKey: null, beamName: UNTITLED, expiresAt: Date.now() + BEAM_LIFETIME_MS }
}

/** The page begins: in the beam of its address, else in the saved one, else on wide windows in a new one. */
function begin(
  enter: (session: BeamSession, onStatus?: (status: LiveBeamStatus) => void) => void,
  newBeam: () => Promise<void>,
): void {
  const saved = loadSession(Date.now())
  const linked = takeLinkedBeam()
  if (linked && linked !== saved?.beamId) return enter(joined(linked))
  const createHere = () => {
    clearSession()
    if (window.innerWidth >= AUTO_CREATE_WIDTH) void newBeam()
  }
  if (!saved) return createHere()
  // A saved beam that has ended in the meantime counts as none, unless a link asked for it.
  let wasLive = false
  enter(saved, (status) => {
    wasLive ||= status.status === 'live'
    if (status.status === 'stopped' && status.why === 'ended' && !wasLive && !linked) createHere()
  })
}

/** Reads the beam from the address and takes it out of there, without a reload. */
function takeLinkedBeam(): BeamId | null {
  const url = new URL(location.href)
  const value = url.searchParams.get(BEAM_PARAM)
  if (value === null) return null
  url.searchParams.delete(BEAM_PARAM)
  history.replaceState(history.state, '', url)
  return parseBeamId(value)
}

function readSiteInto({ site }: House['stores']): void {
  void readSite().then(
    (answer) => site.setState({ site: answer }, true),
    // Without it links carry the page's own address, which is true as well.
    () => {},
  )
}

/** A phone that wakes, or a network that is back, reconnects at once. */
function wakeWithThePage(wake: () => void): void {
  addEventListener('online', wake)
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') wake()
  })
}
