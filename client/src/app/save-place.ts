/** The folder that a person keeps for what this device receives. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import { canPickFolder, pickFolder, type SaveFolder } from '../transport/save-folder'
import { SavePlace } from '../transport/save-place'
import type { Context } from './context'

export interface SavePlaces extends Pick<Actions, 'chooseSavePlace' | 'forgetSavePlace'> {
  /**
   * Returns the kept folder, or one that the person picks now. Must be called while a press is handled, and only where
   * folders can be picked. Returns null when there is none.
   */
  folder(): Promise<SaveFolder | null>
}

export function createSavePlaces({ stores, toaster }: Pick<Context, 'stores' | 'toaster'>): SavePlaces {
  const place = new SavePlace()
  const show = (name: string | null) =>
    stores.savePlace.setState(name === null ? { status: 'downloads' } : { status: 'kept', name }, true)
  if (canPickFolder()) void place.name().then(show)
  return {
    async folder() {
      const state = stores.savePlace.getState()
      if (state.status !== 'kept') return pickFolder()
      const kept = await place.open()
      const { name } = state
      if (!kept)
        toaster.bad(t`The folder “${name}” cannot be used. Save again and allow it, or choose another one.`)
      return kept
    },
    async chooseSavePlace() {
      const folder = await pickFolder()
      if (!folder) return
      try {
        await place.keep(folder)
        show(folder.name)
      } catch {
        toaster.bad(t`The browser cannot keep this folder.`)
      }
    },
    async forgetSavePlace() {
      await place.forget()
      show(null)
    },
  }
}
