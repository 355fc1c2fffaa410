/** Saves what was received: the files of a batch or of an item that is many, or everything. */
import { plural } from '@lingui/core/macro'
import type { Actions } from '../features/actions'
import type { ItemId } from '../protocol/bindings'
import { type Download, isHere, receivedFiles, type Savable, savableOf } from '../stores/downloads'
import { canPickFolder, concernsAll, type SaveFolder } from '../transport/save-folder'
import { type Bring, bringerOf, isGivenUp } from './arrival'
import type { Context } from './context'
import { clickDownload } from './downloading'
import { createSavePlaces } from './save-place'
import { tellerOf } from './save-progress'
import { notSavedAll, savedCount, withReason } from './save-words'
import { createSavingOne, savingInto } from './saving-one'
import { createPackSaving } from './saving-packs'

/** Pause between two downloads: browsers drop those that a page begins at the same moment. */
const BETWEEN_DOWNLOADS_MS = 250

/** Saves one file that is here. Rejects when it could not. */
type SaveOne = (file: Download, index: number) => Promise<unknown>

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

export function createSavingAll(
  context: Pick<Context, 'stores' | 'toaster'>,
  { receive, saveAs }: Pick<Actions, 'receive' | 'saveAs'>,
): Saving {
  const { stores, toaster } = context
  const { folder: askFolder, kept, ...place } = createSavePlaces(context)
  const { isPack, save: savePack, ...packs } = createPackSaving(context, { folder: askFolder, kept }, receive)
  const telling = tellerOf(stores)
  const { bring, inTurn, stop } = bringerOf(stores, receive)
  const saveInTurn = saverInTurn(context, receive, inTurn)
  const saveEach = async (files: readonly Savable[], saveOne: SaveOne) => {
    if (await saveInTurn(files, saveOne)) toaster.ok(savedCount(files.length))
  }
  const saveInto = async (folder: SaveFolder, files: readonly Savable[]) => {
    const { plain, packed } = sorted(files, isPack)
    const one: SaveOne = (file) => telling(file.id, [file], (progress) => savingInto(folder, progress)(file))
    if (plain.length > 0) await saveEach(plain, one)
    for (const { id } of packed) await savePack(id, folder)
  }
  const downloadEach = async (files: readonly Savable[]) => {
    const { plain, packed } = sorted(files, isPack)
    // A press opens one picker, so one folder is for all of them.
    const folder = packed.length > 0 && canPickFolder() ? await askFolder() : undefined
    await saveInTurn(plain, download)
    if (folder === null) return
    for (const { id } of packed) await savePack(id, folder)
  }
  return {
    ...packs,
    ...place,
    ...createSavingOne(context, { kept }, { bring, saveAs }),
    stopSaving(id) {
      packs.stopSaving(id)
      stop(id)
    },
    canPickFolder: canPickFolder(),
    async download(ids) {
      const files = savableOf(ids, stores)
      const isKept = stores.savePlace.getState().status === 'kept'
      const folder = isKept ? await kept() : 'none'
      if (folder) await (folder === 'none' ? downloadEach(files) : saveInto(folder, files))
    },
    async saveAll(id) {
      if (isPack(id)) return savePack(id)
      if (stores.saves.getState().saves[id]) return
      const files = savableOf([id], stores)
      if (canPickFolder()) {
        const folder = await askFolder()
        if (!folder) return
        return telling(id, files, (progress) =>
          saveEach(files, (file, saved) => {
            progress.saved(saved)
            return savingInto(folder, progress)(file)
          }),
        )
      }
      const areSaved = await telling(id, files, (progress) =>
        saveInTurn(files, (file, saved) => {
          progress.saved(saved)
          return download(file)
        }),
      )
      if (!areSaved) return
      // The browser asks, names and saves on its own, and does not say how it went.
      toaster.info(
        plural(files.length, {
          one: 'The browser has # download to save',
          other: 'The browser has # downloads to save',
        }),
      )
    },
    async saveEverything() {
      const files = receivedFiles(stores)
      if (!canPickFolder()) return downloadEach(files)
      const folder = await askFolder()
      if (folder) await saveInto(folder, files)
    },
  }
}

/** Parts single files from items that are many. */
function sorted(files: readonly Savable[], isPack: (id: ItemId) => boolean) {
  return { plain: files.filter(({ id }) => !isPack(id)), packed: files.filter(({ id }) => isPack(id)) }
}

/**
 * Returns what saves files one after the other, tells which could not be saved, and returns whether all were. Those that are
 * not here come meanwhile.
 */
function saverInTurn(
  { stores, toaster }: Pick<Context, 'stores' | 'toaster'>,
  receive: Actions['receive'],
  inTurn: Bring,
) {
  return async (files: readonly Savable[], saveOne: SaveOne) => {
    for (const file of files) if (!isHere(file) && isGivenUp(stores, file.id)) receive(file.id)
    const { saved, failed } = await eachInTurn(files, async (file, index) => {
      const here = isHere(file) ? file : await inTurn(file.id)
      if (!here) throw new Error('The file was given up.')
      await saveOne(here, index)
    })
    if (failed.length === 0) return true
    const names = failed.map(({ name }) => name)
    toaster.bad(withReason(notSavedAll(saved, files.length, names), failed.at(-1)?.why))
    return false
  }
}

/** Saves files one after the other, until one fails for a reason that every other would meet as well. */
async function eachInTurn(
  files: readonly Savable[],
  saveOne: (file: Savable, index: number) => Promise<unknown>,
) {
  const failed: { name: string; why: unknown }[] = []
  let saved = 0
  for (const [index, file] of files.entries()) {
    try {
      await saveOne(file, index)
      saved += 1
    } catch (why) {
      failed.push({ name: file.name, why })
      if (concernsAll(why)) break
    }
  }
  return { saved, failed }
}

/** The browser may change a name that its own rules refuse, such as one that begins with a dot. */
async function download({ name, url }: Download): Promise<void> {
  clickDownload(url, name)
  await new Promise((resolve) => setTimeout(resolve, BETWEEN_DOWNLOADS_MS))
}
