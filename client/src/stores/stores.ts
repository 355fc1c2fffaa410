/** All stores of the page, created once by the composition root. They hold only data. */
import { type Language, SOURCE } from '../languages/languages'
import { createAccountStore } from './account'
import { createBeamAccessStore } from './beam-access'
import { createBeamSessionStore, createSiteStore } from './beam-session'
import { createBeamsStore } from './beams'
import { createCanvasStore } from './canvas'
import { createConnectionStore } from './connection'
import { createDevicesStore } from './devices'
import { createEditorStore } from './editor'
import { createItemsStore } from './items'
import { createLanguageStore } from './language'
import { createMediaStore } from './media'
import { createPastingStore } from './pasting'
import { createPointedOutStore } from './pointed-out'
import { createShareTargetStore } from './share-target'
import { createToastsStore } from './toasts'
import { createTransfersStore } from './transfers'

/** @param language in which the page is shown at first */
export function createStores(language: Language = SOURCE) {
  return {
    site: createSiteStore(),
    language: createLanguageStore(language),
    account: createAccountStore(),
    session: createBeamSessionStore(),
    access: createBeamAccessStore(),
    beams: createBeamsStore(),
    connection: createConnectionStore(),
    devices: createDevicesStore(),
    items: createItemsStore(),
    canvas: createCanvasStore(),
    editor: createEditorStore(),
    transfers: createTransfersStore(),
    media: createMediaStore(),
    pasting: createPastingStore(),
    pointedOut: createPointedOutStore(),
    shareTarget: createShareTargetStore(),
    toasts: createToastsStore(),
  }
}

export type Stores = ReturnType<typeof createStores>
