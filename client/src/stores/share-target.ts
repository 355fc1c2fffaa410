/** Content that another app or a website handed to this one. It waits until the person shares or discards it. */
import { createStore } from 'zustand/vanilla'

export interface ShareTargetState {
  readonly texts: readonly string[]
  readonly files: readonly { readonly name: string; readonly size: number }[]
}

const NOTHING_WAITS: ShareTargetState = { texts: [], files: [] }

export function createShareTargetStore() {
  return createStore<ShareTargetState>()(() => NOTHING_WAITS)
}
