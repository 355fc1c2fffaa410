/** Saves several files: those of a batch into a folder where the browser can pick one, else one download after the other. */
import { plural, t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { type Download, downloadsOf } from '../stores/downloads'
import { reduceSaves, type SavesEvent } from '../stores/saves'
import { readBytes } from '../transport/http'
import { canPickFolder, pickFolder, saveInto } from '../transport/save-folder'
import type { Context } from './context'
import { clickDownload } from './downloading'
import { createPackSaving } from './saving-packs'

/** Pause between two downloads: browsers drop those that a page begins at the same moment. */
const BETWEEN_DOWNLOADS_MS = 250

/** Saves one file. Rejects when it could not. */
type SaveOne = (file: Download) => Promise<void>

export function createSavingAll({
  stores,
  toaster,
}: Pick<Context, 'stores' | 'toaster'>): Pick<Actions, 'saveAll' | 'download' | 'savePacked' | 'stopSaving'> {
  const { saveAll: savePack, ...packs } = createPackSaving({ stores, toaster })
  const put = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  const saveEach = async (id: ItemId, files: readonly Download[], saveOne: SaveOne) => {
    const failed: string[] = []
    for (const [saved, file] of files.entries()) {
      put({ type: 'saving', id, save: { saved, of: files.length } })
      await saveOne(file).catch(() => failed.push(file.name))
    }
    put({ type: 'ended', id })
    return failed
  }
  return {
    ...packs,
    async download(ids) {
      for (const file of downloadsOf(ids, stores)) if (!savePack(file.id)) await download(file)
    },
    async saveAll(id) {
      if (savePack(id)) return
      if (stores.saves.getState().saves[id]) return
      const files = downloadsOf([id], stores)
      if (!canPickFolder()) {
        await saveEach(id, files, download)
        // The browser asks, names and saves on its own, and does not say how it went.
        return void toaster.info(
          plural(files.length, {
            one: 'The browser has # download to save',
            other: 'The browser has # downloads to save',
          }),
        )
      }
      const folder = await pickFolder()
      if (!folder) return
      const failed = await saveEach(id, files, async ({ name, url }) =>
        saveInto(folder, name, await readBytes(url)),
      )
      const saved = files.length - failed.length
      const [name] = failed
      const all = files.length
      if (name === undefined) toaster.ok(plural(saved, { one: 'Saved # file', other: 'Saved # files' }))
      else toaster.bad(t`Saved ${saved} of ${all} files. “${name}” could not be saved.`)
    },
  }
}

async function download({ name, url }: Download): Promise<void> {
  clickDownload(url, name)
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS_MS))
}
