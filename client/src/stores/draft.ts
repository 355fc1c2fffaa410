/** The message that a person is writing. It outlives the field, which another page or another language draws anew. */
import { createStore } from 'zustand/vanilla'

export function createDraftStore() {
  return createStore<{ readonly text: string }>()(() => ({ text: '' }))
}
