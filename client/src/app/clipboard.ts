/** The device's clipboard and its share sheet. */
import type { Actions, Screen } from '../features/actions'
import { beamLink } from '../protocol/beam-link'
import { copyableText, type Item } from '../protocol/item'
import type { Context } from './context'
import { SHARE_TEXT, SHARE_TITLE } from './product'

const EMPTY_TEXT = { home: 'Your clipboard is empty!', space: 'Clipboard is empty!' } as const

type Clipboard = Pick<Actions, 'paste' | 'pasteText' | 'copyBeamId' | 'copyLink' | 'shareLink'>

export function createClipboard(
  { stores, toaster }: Context,
  sharing: Pick<Actions, 'shareText' | 'shareFiles'>,
): Clipboard {
  const beamId = () => {
    const state = stores.session.getState()
    return state.status === 'set' ? state.session.beamId : null
  }
  const link = () => {
    const id = beamId()
    return id && beamLink(id, stores.site.getState().site, location)
  }
  const pasteText = (pasted: string, screen: Screen) => {
    const text = pasted.trim()
    if (text === '') return toaster.info(EMPTY_TEXT[screen])
    if (stores.items.getState().items.some((item) => isSame(item, text))) return
    sharing.shareText(text)
    if (screen === 'space') toaster.ok('Content pasted successfully!')
  }
  return {
    pasteText,
    async paste(screen) {
      const clip = await readClipboard()
      // The specification wants a failed read logged only; the browser has told the person itself.
      if (clip === null) return
      if (clip.files.length > 0) sharing.shareFiles(clip.files)
      else pasteText(clip.text, screen)
    },
    async copyBeamId() {
      const id = beamId()
      if (id && (await writeClipboard(id))) toaster.ok('Beam ID copied successfully')
      else toaster.bad('Failed to copy Beam ID!')
    },
    async copyLink() {
      const address = link()
      if (address && (await writeClipboard(address))) toaster.ok('Link copied successfully')
      else toaster.bad('Failed to copy the link!')
    },
    async shareLink() {
      const url = link()
      if (!url) return
      if (!('share' in navigator)) {
        window.alert('Sharing is not supported on this device/browser.')
        return
      }
      // Closing the share sheet rejects; that is no error.
      await navigator.share({ title: SHARE_TITLE, text: SHARE_TEXT, url }).catch(() => {})
    },
  }
}

function isSame(item: Item, text: string): boolean {
  return copyableText(item.content)?.trim() === text
}

/** Null when the browser or the person said no. */
async function readClipboard(): Promise<{ text: string; files: File[] } | null> {
  try {
    const files = await readPictures()
    return files.length > 0 ? { text: '', files } : { text: await navigator.clipboard.readText(), files }
  } catch (error) {
    logClipboardFailure(error)
    return null
  }
}

async function readPictures(): Promise<File[]> {
  if (!('read' in navigator.clipboard)) return []
  const files: File[] = []
  for (const item of await navigator.clipboard.read()) {
    if (item.types.includes('text/plain')) continue
    const type = item.types.find((candidate) => candidate.startsWith('image/'))
    if (!type) continue
    const name = `Pasted picture.${type.slice('image/'.length)}`
    files.push(new File([await item.getType(type)], name, { type }))
  }
  return files
}

function logClipboardFailure(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the specification's way to report a failed read.
  console.warn('Clipboard read failure', error)
}

/** Writes text; on plain-http pages, which have no clipboard, by a selection. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    if ('clipboard' in navigator) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Falls through to the selection.
  }
  return copyBySelection(text)
}

/** Writes html beside its plain text; the text alone where the browser takes no more. */
export async function writeRichClipboard(text: string, html: string): Promise<boolean> {
  try {
    const parts = { 'text/plain': text, 'text/html': html }
    const blobs = Object.entries(parts).map(([type, part]) => [type, new Blob([part], { type })])
    await navigator.clipboard.write([new ClipboardItem(Object.fromEntries(blobs))])
    return true
  } catch {
    return writeClipboard(text)
  }
}

function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  document.body.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  return copied
}
