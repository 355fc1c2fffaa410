/** Saves what was received: the files of a batch or of an item that is many, or everything. */
import { plural, t } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { type Download, downloadsOf, receivedFiles } from '../stores/downloads'
import { reduceSaves, type SavesEvent } from '../stores/saves'
import { canPickFolder } from '../transport/save-folder'
import type { Context } from './context'
import { clickDownload } from './downloading'
import { createSavePlaces } from './save-place'
import { createSavingOne, savingInto } from './saving-one'
import { createPackSaving } from './saving-packs'

/** Pause between two downloads: browsers drop those that a page begins at the same moment. */
const BETWEEN_DOWNLOADS_MS = 250

/** Saves one file. Rejects when it could not. */
type SaveOne = (file: Download) => Promise<void>

type Saving = Pick<
  Actions,
  | 'saveAll'
  | 'saveEverything'
  | 'saveHere'
  | 'saveHereAs'
  | 'canPickFile'
  | 'canPickFolder'
  | 'download'
  | 'savePacked'
  | 'saveChosen'
  | 'stopSaving'
  | 'chooseSavePlace'
  | 'forgetSavePlace'
>

export function createSavingAll(context: Pick<Context, 'stores' | 'toaster'>): Saving {
  const { stores, toaster } = context
  const { folder: askFolder, ...place } = createSavePlaces(context)
  const { isPack, save: savePack, ...packs } = createPackSaving(context, { folder: askFolder })
  const put = (event: SavesEvent) => stores.saves.setState((state) => reduceSaves(state, event), true)
  const saveEach = async (id: ItemId, files: readonly Download[], saveOne: SaveOne) => {
    const failed: string[] = []
    for (const [saved, file] of files.entries()) {
      put({ type: 'saving', id, save: { status: 'saving', saved, of: files.length } })
      await saveOne(file).catch(() => failed.push(file.name))
    }
    put({ type: 'ended', id })
    return failed
  }
  const tell = (all: number, failed: readonly string[]) => {
    const saved = all - failed.length
    const [name] = failed
    if (name === undefined) toaster.ok(plural(saved, { one: 'Saved # file', other: 'Saved # files' }))
    else toaster.bad(t`Saved ${saved} of ${all} files. “${name}” could not be saved.`)
  }
  const downloadEach = async (files: readonly Download[]) => {
    const packed = files.filter(({ id }) => isPack(id))
    // A press opens one picker, so one folder is for all of them.
    const asks = packed.length > 0 && canPickFolder()
    const folder = asks ? await askFolder() : undefined
    await downloadPlain(files)
    if (folder === null) return
    for (const { id } of packed) await savePack(id, folder)
  }
  const downloadPlain = async (files: readonly Download[]) => {
    for (const file of files) if (!isPack(file.id)) await download(file)
  }
  return {
    ...packs,
    ...place,
    ...createSavingOne(context, askFolder),
    canPickFolder: canPickFolder(),
    download: (ids) => downloadEach(downloadsOf(ids, stores)),
    async saveAll(id) {
      if (isPack(id)) return savePack(id)
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
      const folder = await askFolder()
      if (folder) tell(files.length, await saveEach(id, files, savingInto(folder)))
    },
    async saveEverything() {
      const files = receivedFiles(stores)
      if (!canPickFolder()) return downloadEach(files)
      const folder = await askFolder()
      if (!folder) return
      const [packed, plain] = [files.filter(({ id }) => isPack(id)), files.filter(({ id }) => !isPack(id))]
      const failed: string[] = []
      for (const file of plain) await savingInto(folder)(file).catch(() => failed.push(file.name))
      if (plain.length > 0) tell(plain.length, failed)
      for (const { id } of packed) await savePack(id, folder)
    },
  }
}

/** The browser may change a name that its own rules refuse, such as one that begins with a dot. */
async function download({ name, url }: Download): Promise<void> {
  clickDownload(url, name)
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS_MS))
}
