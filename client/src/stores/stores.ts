/** All stores of the page, made once by the composition root. They hold data only. */
import { createBeamSessionStore, createSiteStore } from './beam-session'
import { createConnectionStore } from './connection'
import { createDevicesStore } from './devices'
import { createItemsStore } from './items'
import { createToastsStore } from './toasts'
import { createTransfersStore } from './transfers'

export function createStores() {
  return {
    site: createSiteStore(),
    session: createBeamSessionStore(),
    connection: createConnectionStore(),
    devices: createDevicesStore(),
    items: createItemsStore(),
    transfers: createTransfersStore(),
    toasts: createToastsStore(),
  }
}

export type Stores = ReturnType<typeof createStores>
