/** Saves one file that is here: into the kept folder, or where the person says. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import { displayName } from '../protocol/names'
import { type Download, downloadsOf } from '../stores/downloads'
import { readBytes } from '../transport/http'
import { canPickFile, pickFile, type SaveFolder, saveInto } from '../transport/save-folder'
import type { Context } from './context'

export function createSavingOne(
  { stores, toaster }: Pick<Context, 'stores' | 'toaster'>,
  askFolder: () => Promise<SaveFolder | null>,
): Pick<Actions, 'canPickFile' | 'saveHere' | 'saveHereAs'> {
  return {
    canPickFile: canPickFile(),
    async saveHere(id) {
      const [file] = downloadsOf([id], stores)
      const folder = file && (await askFolder())
      if (!file || !folder) return
      const { name } = file
      const kept = folder.name
      await savingInto(folder)(file).then(
        () => toaster.ok(t`Saved “${name}” in “${kept}”`),
        () => toaster.bad(t`“${name}” could not be saved.`),
      )
    },
    async saveHereAs(id) {
      const [file] = downloadsOf([id], stores)
      const picked = file && (await pickFile(displayName(file.name)))
      if (!file || !picked) return
      const name = picked.name
      try {
        await (await readBytes(file.url)).pipeTo(await picked.createWritable())
        toaster.ok(t`Saved “${name}”`)
      } catch {
        toaster.bad(t`“${name}” could not be saved.`)
      }
    },
  }
}

/** Browsers let no page set the time of a file: one that is saved bears that of the saving. Its name tells its type. */
export function savingInto(folder: SaveFolder): (file: Download) => Promise<void> {
  return async ({ name, url }) => saveInto(folder, name, await readBytes(url))
}
