/** What the person chose from the installed app's menu, until the page has shown it. */
import { createStore } from 'zustand/vanilla'

export interface Shortcut {
  readonly opens: 'join' | 'scan' | null
}

export function createShortcutStore() {
  return createStore<Shortcut>()(() => ({ opens: null }))
}
