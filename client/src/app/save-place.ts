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
  /**
   * Returns the kept folder; `none` where the browser's downloads are the place. Must be called while a press is handled.
   * Returns null when the folder may not be used now.
   */
  kept(): Promise<SaveFolder | 'none' | null>
}

export function createSavePlaces(
  { stores, toaster }: Pick<Context, 'stores' | 'toaster'>,
  place: Pick<SavePlace, 'name' | 'keep' | 'forget' | 'open'> = new SavePlace(),
): SavePlaces {
  const show = (name: string | null) =>
    stores.savePlace.setState(name === null ? { status: 'downloads' } : { status: 'kept', name }, true)
  if (canPickFolder()) void place.name().then(show)
  const choose = async () => {
    const folder = await pickFolder()
    if (!folder) return
    try {
      await place.keep(folder)
      show(folder.name)
    } catch {
      toaster.bad(t`The browser cannot keep this folder.`)
    }
  }
  /** Where the browser refuses it, the folder is still kept, and goes on being shown. */
  const forget = async () => {
    try {
      await place.forget()
      show(null)
    } catch {}
  }
  const kept = async () => {
    const state = stores.savePlace.getState()
    if (state.status !== 'kept') return 'none'
    const folder = await place.open()
    if (typeof folder !== 'string') return folder
    const { name } = state
    const another = { label: t`Choose…`, run: () => void choose() }
    if (folder === 'refused') {
      const refused = t`The folder “${name}” cannot be used. Save again and allow it, or choose another one.`
      toaster.bad(refused, another)
      return null
    }
    // Nothing could be saved any more if it stayed the place. Where the browser still has it, a later page finds that it is gone too.
    await forget()
    show(null)
    toaster.bad(t`The folder “${name}” is no longer there. Files are saved as downloads again.`, another)
    return 'none'
  }
  return {
    kept,
    async folder() {
      const folder = await kept()
      return folder === 'none' ? pickFolder() : folder
    },
    chooseSavePlace: choose,
    forgetSavePlace: forget,
  }
}
