/** The composition root: creates the parts of the page once and connects them. */
import type { Actions, AppValue } from '../features/actions'
import type { Language } from '../languages/languages'
import type { BeamId } from '../protocol/bindings'
import { createStores } from '../stores/stores'
import { readMe } from '../transport/account-calls'
import { sweepArchives } from '../transport/archive-file'
import { readSite } from '../transport/http'
import { openSecrets } from '../transport/secrets-door'
import { createAccount } from './account'
import { createArrivals, tellArrivals } from './arrivals'
import { keepAskedFiles } from './asked-files'
import { sweepEntries } from './beam-entries'
import { notesFor } from './beam-notes'
import { createTrust, keepAsking } from './beam-trust'
import { begin } from './begin'
import { keepCanvas } from './canvas-storage'
import { keepClearCopies } from './clear-copies'
import { createClipboard } from './clipboard'
import type { Context } from './context'
import { createCopying } from './copying'
import { CurrentBeam, createBeamActions } from './current-beam'
import { createDeleting, offerWhatCameBack } from './deleting'
import { createDetails } from './details'
import { createReading } from './file-bytes'
import { createInstallation } from './installation'
import { KeptFiles } from './kept-files'
import { createLanguageChoice } from './language'
import { learnMedia } from './media-kinds'
import { createNotes } from './notes'
import { hearRemoved } from './open-beams'
import { createOwnDevice } from './own-device'
import { learnPacks } from './packs'
import { followThePage } from './page-life'
import { createPassingOn, keepPassingOn } from './passing-on'
import { passwordsFor } from './password-proof'
import { keepPausedFiles } from './paused-files'
import { createReceiving, receiveWhatComes } from './receiving'
import { createRecentBeams, keepRecentBeams } from './recent-beams'
import { createSavedBeams } from './saved-beams'
import { createSavingAll } from './saving-all'
import { sealsFor } from './sealing-choice'
import { keepSearch } from './searching'
import { createSendingOn } from './sending-on'
import { keepSentFiles } from './sent-files'
import { createSharedIn } from './shared-in'
import { createSharing } from './sharing'
import { createShortCodes } from './short-codes'
import { takeShortcut } from './shortcut'
import { keepSocketLogin } from './socket-login'
import { spareConnections } from './sparing'
import { createToastActions } from './toast-actions'
import { createToaster } from './toaster'
import { startTransfers } from './transfer-news'
import { tellTrust } from './trust-news'
import { createUnfinished } from './unfinished'
import { keepUnsentItems } from './unsent-items'
import { UploadNews } from './upload-news'
import { createVault, endsTrust } from './vault'

/** Starts every service of the page. Call it once. */
export function startServices(language: Language): AppValue {
  const stores = createStores(language)
  const toaster = createToaster(stores.toasts)
  const uploads = new UploadNews(stores.transfers, toaster)
  const transfers = startTransfers(stores, toaster, uploads, () => beam.connection)
  const context: Context = { stores, toaster, transfers, live: () => beam.channel }
  const receiveAll = () => receiveWhatComes(context, (ids) => void kept.lost(ids))
  const secrets = openSecrets()
  const beam = new CurrentBeam(context, secrets, () => {
    offerWhatCameBack(context, offerAgain)
    receiveAll()
  })

  const kept: KeptFiles = new KeptFiles(stores, (id, file, tells) => offerSame(id, file, tells))
  const made = createSharing(context, uploads, kept, sealsFor(stores))
  const { shareFileAs, shareCopy, shareNote, offerAgain, offerSame, ...sharing } = made
  const receiving = createReceiving(context)
  const actions: Actions = {
    ...sharing,
    ...receiving,
    ...createUnfinished(context, receiveAll),
    keepHandle: (file, handle) => kept.lies(file, handle),
    offerKept: (id) => void kept.ask(id),
    ...createSavingAll(context, receiving),
    ...createClipboard(context, { ...sharing, shareNote }),
    ...createSharedIn(context, sharing),
    ...createCopying(context),
    ...createSendingOn(context, shareCopy),
    ...createDeleting(context, offerAgain),
    ...createBeamActions(beam, context),
    ...createRecentBeams(stores, toaster, (id) => beam.remove(id)),
    ...createShortCodes(context),
    ...createDetails(transfers, () => beam.connection?.links ?? null),
    ...createTrust(stores, () => beam.connection?.ways ?? null),
    ...createOwnDevice((name) => beam.connection?.rename(name)),
    showFull: (id, order) => stores.fullView.setState({ kind: 'open', id, order }, true),
    closeFull: () => stores.fullView.setState({ kind: 'closed' }, true),
    ...createReading(stores),
    ...createArrivals(stores, toaster),
    ...createInstallation(stores),
    passOn: createPassingOn(stores),
    chooseLanguage: createLanguageChoice(stores, toaster),
    ...createToastActions(toaster),
    ...accountActions(context, beam, secrets),
    notes: createNotes(context, shareFileAs),
  }

  readSiteInto(stores)
  void sweepArchives(Date.now())
  spareConnections(stores, transfers, () => beam.connection?.links ?? null)
  keepPassingOn(stores, transfers)
  keepInBrowser(stores, beam, transfers)
  learnMedia(stores)
  learnPacks(stores)
  tellArrivals(stores)
  tellTrust(stores, toaster)
  keepSocketLogin(stores, { makeSure: readMe, rejoin: () => beam.rejoin() })
  keepUnsentItems(context, (ids) => void kept.lost(ids))
  const { findByCode, warn } = actions
  if (takeShortcut(stores)) void beam.create()
  else begin(beam, { notesOf: (id) => notesFor(id, stores), findByCode, warn })
  followThePage(stores, toaster, () => {
    beam.wake()
    beam.seen()
  })
  return { stores, actions }
}

/** Keeps for later pages what belongs to this browser alone. */
function keepInBrowser(
  stores: AppValue['stores'],
  beam: Pick<CurrentBeam, 'removed'>,
  transfers: Parameters<typeof keepClearCopies>[1],
): void {
  keepCanvas(stores)
  keepRecentBeams(stores)
  hearRemoved((id) => beam.removed(id))
  keepSearch(stores)
  keepSentFiles(stores)
  keepPausedFiles(stores)
  keepAskedFiles(stores)
  keepAsking(stores)
  keepClearCopies(stores, transfers)
  sweepEntries(Date.now())
}

/** The actions on the account, its saved beams, and the vault that may have their keys. */
function accountActions(
  { stores, toaster }: Context,
  beam: CurrentBeam,
  door: ReturnType<typeof openSecrets>,
): Pick<Actions, 'account' | 'beams' | 'vault'> {
  const vault = createVault({
    stores,
    toaster,
    door,
    rekey: (id) => void beam.readingTaken(id),
    opened: () => beam.lookForKeys(),
  })
  const onShared = (id: BeamId, username: string) => void vault.handKeys(id, username)
  const onUnsharing = endsTrust({ stores, door })
  return {
    vault,
    beams: createSavedBeams({ stores, toaster, ...keepsKeysOf(beam), onShared, onUnsharing }),
    account: createAccount(stores, toaster, () => beam.loggedOut(), passwordsFor(door)),
  }
}

/** What the changes of saved beams mean for their keys. */
function keepsKeysOf(
  beam: CurrentBeam,
): Pick<Parameters<typeof createSavedBeams>[0], 'onRenewed' | 'onTakingReading' | 'onReadingTaken'> {
  return {
    onRenewed: (old, renewed) => beam.renewed(old, renewed, true),
    onTakingReading: (id) => beam.takingReading(id),
    onReadingTaken: (id) => beam.readingTaken(id),
  }
}

function readSiteInto({ site }: AppValue['stores']): void {
  void readSite().then(
    (answer) => site.setState({ site: answer }, true),
    // Without an answer links use the page's own address, which also works.
    () => {},
  )
}
