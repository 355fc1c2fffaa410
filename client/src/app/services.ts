/** The composition root: the only place that knows both transport and stores. */
import type { Actions, House } from '../features/actions'
import { findBeamId } from '../protocol/beam-link'
import type { Beam, BeamId } from '../protocol/bindings'
import type { BeamSession } from '../stores/beam-session'
import { createStores } from '../stores/stores'
import { createBeam, readSite } from '../transport/http'
import type { LiveBeamStatus } from '../transport/live-beam'
import { Transfers } from '../transport/transfers'
import { NOT_CONNECTED } from './access-news'
import { createAccount } from './account'
import { type BeamConnection, joinBeam } from './beam-connection'
import { notesFor } from './beam-notes'
import { begin, joinedSession } from './begin'
import { keepCanvas } from './canvas-storage'
import { createClipboard } from './clipboard'
import type { Context } from './context'
import { createCopying } from './copying'
import { createDeleting } from './deleting'
import { learnMedia } from './media-kinds'
import { createNotes } from './notes'
import { followThePage, isSeen } from './page-life'
import { PatientStatus } from './patient-status'
import { createSavedBeams } from './saved-beams'
import { saveSession } from './session-storage'
import { createSharing, receiveWhatComes } from './sharing'
import { keepSocketLogin } from './socket-login'
import { createToaster, type Toaster } from './toaster'
import { createTransferNews } from './transfer-news'

/** Starts everything that lives as long as the page. Call it once. */
export function startServices(): House {
  const stores = createStores()
  const toaster = createToaster(stores.toasts)
  let connection: BeamConnection | null = null
  const news = createTransferNews(stores, toaster, () => connection?.links ?? null)
  const transfers = new Transfers((event) => news(event, (to, frame) => connection?.live.relay(to, frame)))
  const context: Context = { stores, toaster, transfers, live: () => connection?.live ?? null }

  let patience: PatientStatus | null = null

  const enter = (session: BeamSession, onStatus: (status: LiveBeamStatus) => void = () => {}) => {
    connection?.leave()
    patience?.end()
    saveSession(session)
    stores.session.setState({ status: 'set', session }, true)
    const patient = new PatientStatus((shown) => stores.connection.setState(shown, true), isSeen)
    patience = patient
    connection = joinBeam(session, stores, transfers, toaster, {
      onStatus(heard) {
        patient.hear(heard)
        onStatus(heard)
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
    if (session?.beamId !== beamId) enter(joinedSession(beamId))
  }

  // A beam that this page is in has a new id: the page goes along.
  const reenter = (old: BeamId, { beam_id, beam_name }: Beam) => {
    const state = stores.session.getState()
    if (state.status !== 'set' || state.session.beamId !== old) return
    enter({ ...state.session, beamId: beam_id, beamName: beam_name })
  }

  const { shareFileAs, ...sharing } = createSharing(context)
  const actions: Actions = {
    ...sharing,
    ...createClipboard(context, sharing),
    ...createCopying(context),
    ...createDeleting(context),
    newBeam,
    joinBeam: joinByText(join, toaster),
    reconnect: () => connection?.live.wake(),
    ...ownersActions(() => connection, toaster),
    dismissToast: (id) => toaster.dismiss(id),
    beams: createSavedBeams({ stores, toaster, reenter }),
    notes: createNotes(context, shareFileAs),
    account: createAccount(stores, toaster, () => connection?.live.rejoin()),
  }

  readSiteInto(stores)
  keepCanvas(stores)
  learnMedia(stores)
  keepSocketLogin(stores, () => connection?.live.rejoin())
  begin({
    enter,
    newBeam,
    wait: () => stores.session.setState({ status: 'creating' }, true),
    notesOf: (beam) => notesFor(beam, stores),
  })
  followThePage(stores, toaster, actions, () => {
    connection?.live.wake()
    patience?.seen()
  })
  return { stores, actions }
}

/** Joins the beam of an id or a link, if there is one in the text. */
function joinByText(join: (beam: BeamId) => void, toaster: Toaster): Actions['joinBeam'] {
  return (text) => {
    const beamId = findBeamId(text)
    if (!beamId) return false
    join(beamId)
    toaster.ok('Joined Beam successfully')
    return true
  }
}

/** What those may who have the beam's key, its admins and its owner. */
function ownersActions(
  connection: () => BeamConnection | null,
  toaster: Toaster,
): Pick<Actions, 'saveBeam' | 'removeDevice'> {
  return {
    async saveBeam(name) {
      const here = connection()
      if (!here) return NOT_CONNECTED
      const refusal = await here.save(name)
      if (refusal === null) toaster.ok('Beam saved successfully!')
      return refusal
    },
    removeDevice(id) {
      if (!connection()?.live.removeDevice(id)) toaster.bad(NOT_CONNECTED)
    },
  }
}

function readSiteInto({ site }: House['stores']): void {
  void readSite().then(
    (answer) => site.setState({ site: answer }, true),
    // Without it links carry the page's own address, which is true as well.
    () => {},
  )
}
