/** Saves one file: into the kept folder, or where the person says. One of which the server has a sealed copy comes first. */
import { t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { displayName } from '../protocol/names'
import { type Download, isHere, savableOf } from '../stores/downloads'
import { canPickFile, dropPicked, pickFile, type SaveFolder, saveInto } from '../transport/save-folder'
import type { Bring } from './arrival'
import type { Context } from './context'
import { clickDownload } from './downloading'
import { bytesOf } from './file-bytes'
import type { SavePlaces } from './save-place'
import { type SaveProgress, tellerOf } from './save-progress'
import { notSaved, savedText, withReason } from './save-words'

export function createSavingOne(
  { stores, toaster }: Pick<Context, 'stores' | 'toaster'>,
  places: Pick<SavePlaces, 'kept'>,
  { bring, saveAs }: { readonly bring: Bring } & Pick<Actions, 'saveAs'>,
): Pick<Actions, 'canPickFile' | 'saveHere' | 'saveHereAs'> {
  const telling = tellerOf(stores)
  /** Returns a file that is to be saved, and is not being saved already. */
  const fileOf = (id: ItemId) => (stores.saves.getState().saves[id] ? undefined : savableOf([id], stores)[0])
  /** Saves a file once at a time. `write` returns what the person is told of it. */
  const once = async (id: ItemId, write: (file: Download, progress: SaveProgress) => Promise<string>) => {
    const wanted = fileOf(id)
    if (!wanted) return
    const file = isHere(wanted) ? wanted : await bring(id)
    if (!file) return
    await telling(id, [file], async (progress) => {
      try {
        toaster.ok(await write(file, progress))
      } catch (error) {
        toaster.bad(withReason(notSaved(file.name), error))
      }
    })
  }
  return {
    canPickFile: canPickFile(),
    async saveHere(id) {
      const folder = await places.kept()
      if (!folder) return
      if (folder === 'none') {
        const wanted = fileOf(id)
        const file = wanted && (isHere(wanted) ? wanted : await bring(id))
        if (file) clickDownload(file.url, file.name)
        return
      }
      await once(id, async (file, progress) => {
        const name = await savingInto(folder, progress)(file)
        const kept = folder.name
        return t`Saved “${name}” in “${kept}”`
      })
    },
    async saveHereAs(id) {
      const file = fileOf(id)
      if (!file) return
      // Its bytes go straight to where it is to lie.
      if (!isHere(file)) return saveAs(id)
      const picked = await pickFile(displayName(file.name))
      if (!picked) return
      await once(id, async (saved, progress) => {
        try {
          await readingOf(saved, progress).pipeTo(await picked.createWritable())
        } catch (error) {
          await dropPicked(picked)
          throw error
        }
        return savedText(picked.name)
      })
    },
  }
}

/**
 * Browsers let no page set the time of a file: one that is saved bears that of the saving. Its name tells its type.
 * Resolves to the name that it got.
 */
export function savingInto(folder: SaveFolder, progress: SaveProgress): (file: Download) => Promise<string> {
  return async (file) => saveInto(folder, file.name, readingOf(file, progress))
}

function readingOf({ url, size }: Download, progress: SaveProgress): ReadableStream<Uint8Array> {
  const bytes = bytesOf(url, { start: 0, end: size, onCut: (isCut) => progress.cut(isCut) })
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(part, controller) {
      progress.read(part.byteLength)
      controller.enqueue(part)
    },
  })
  return bytes.pipeThrough(counted)
}
