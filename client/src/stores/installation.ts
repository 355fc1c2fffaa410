/** Whether the browser offers to install the page as an app. */
import { createStore } from 'zustand/vanilla'

export interface Installation {
  readonly isOffered: boolean
}

export function createInstallationStore() {
  return createStore<Installation>()(() => ({ isOffered: false }))
}
