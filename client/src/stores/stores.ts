/** All stores of the page, created once by the composition root. They hold only data. */
import { type Language, SOURCE } from '../languages/languages'
import { createAccountStore } from './account'
import { createArrivalsStore } from './arrivals'
import { createBeamAccessStore } from './beam-access'
import { createBeamDialogStore } from './beam-dialog'
import { createBeamSessionStore, createSiteStore } from './beam-session'
import { createBeamsStore } from './beams'
import { createCanvasStore } from './canvas'
import { createClearCopiesStore } from './clear-copies'
import { createConnectionStore } from './connection'
import { createDeviceListStore } from './device-list'
import { createDevicesStore } from './devices'
import { createEditorStore } from './editor'
import { createEncryptionStore } from './encryption'
import { createFlowsStore } from './flows'
import { createFullViewStore } from './full-view'
import { createIncomingStore } from './incoming'
import { createInstallationStore } from './installation'
import { createItemsStore } from './items'
import { createKeepingStore } from './keeping'
import { createLanguageStore } from './language'
import { createLimitsStore } from './limits'
import { createMediaStore } from './media'
import { createMissingStore } from './missing'
import { createPacksStore } from './packs'
import { createPassingOnStore } from './passing-on'
import { createPastingStore } from './pasting'
import { createPointedOutStore } from './pointed-out'
import { createPowerStore } from './power'
import { createRecentBeamsStore } from './recent-beams'
import { createSavePlaceStore } from './save-place'
import { createSavesStore } from './saves'
import { createScreenStore } from './screen'
import { createSearchStore } from './search'
import { createShareTargetStore } from './share-target'
import { createShortcutStore } from './shortcut'
import { createToastsStore } from './toasts'
import { createTransfersStore } from './transfers'
import { createTrustStore } from './trust'
import { createUnfinishedStore } from './unfinished'
import { createVaultStore } from './vault'
import { createWaitingEditsStore } from './waiting-edits'

/** @param language in which the page is shown at first */
export function createStores(language: Language = SOURCE) {
  return {
    site: createSiteStore(),
    language: createLanguageStore(language),
    account: createAccountStore(),
    session: createBeamSessionStore(),
    access: createBeamAccessStore(),
    beamDialog: createBeamDialogStore(),
    recentBeams: createRecentBeamsStore(),
    beams: createBeamsStore(),
    connection: createConnectionStore(),
    deviceList: createDeviceListStore(),
    devices: createDevicesStore(),
    items: createItemsStore(),
    incoming: createIncomingStore(),
    keeping: createKeepingStore(),
    limits: createLimitsStore(),
    arrivals: createArrivalsStore(),
    installation: createInstallationStore(),
    shortcut: createShortcutStore(),
    canvas: createCanvasStore(),
    clearCopies: createClearCopiesStore(),
    editor: createEditorStore(),
    encryption: createEncryptionStore(),
    flows: createFlowsStore(),
    fullView: createFullViewStore(),
    transfers: createTransfersStore(),
    trust: createTrustStore(),
    unfinished: createUnfinishedStore(),
    media: createMediaStore(),
    missing: createMissingStore(),
    packs: createPacksStore(),
    savePlace: createSavePlaceStore(),
    saves: createSavesStore(),
    pasting: createPastingStore(),
    pointedOut: createPointedOutStore(),
    passingOn: createPassingOnStore(),
    power: createPowerStore(),
    screen: createScreenStore(),
    search: createSearchStore(),
    shareTarget: createShareTargetStore(),
    toasts: createToastsStore(),
    vault: createVaultStore(),
    waitingEdits: createWaitingEditsStore(),
  }
}

export type Stores = ReturnType<typeof createStores>
