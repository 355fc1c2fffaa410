/** Access to the device's clipboard and to its share sheet. */
import { t } from '@lingui/core/macro'
import type { Actions, Screen } from '../features/actions'
import { beamLink } from '../protocol/beam-link'
import { copyableText, type Item } from '../protocol/item'
import type { RootNode } from '../protocol/note-nodes'
import { hasLink } from '../stores/beam-session'
import { loadable } from '../ui/lazy-part'
import type { Context } from './context'
import type { Sharing } from './sharing'

const PRODUCT = 'Heliograph'
const TEXT = 'text/plain'
const HTML = 'text/html'

type Clipboard = Pick<Actions, 'paste' | 'pasteText' | 'copyBeamId' | 'copyLink' | 'shareLink'>

export function createClipboard(
  { stores, toaster }: Context,
  sharing: Pick<Sharing, 'shareText' | 'shareFiles' | 'shareNote'>,
): Clipboard {
  const beamId = () => {
    const state = stores.session.getState()
    return state.status === 'set' ? state.session.beamId : null
  }
  const link = () => {
    const state = stores.session.getState()
    if (state.status !== 'set' || !hasLink(state.session, stores.encryption.getState())) return null
    return beamLink(state.session, stores.site.getState().site, location)
  }
  const pasteText = async (pasted: string, screen: Screen, html = '') => {
    const text = pasted.trim()
    if (text === '') {
      return void toaster.info(screen === 'home' ? t`Your clipboard is empty!` : t`Clipboard is empty!`)
    }
    const same = stores.items.getState().items.find((item) => isSame(item, text))
    if (same) return stores.pointedOut.setState(({ times }) => ({ id: same.id, times: times + 1 }))
    const table = await tableOf(html)
    const isShared = (table && sharing.shareNote(table)) || sharing.shareText(text)
    if (isShared && screen === 'space') toaster.ok(t`Content pasted successfully!`)
  }
  return {
    pasteText: (text, screen, html) => void pasteText(text, screen, html),
    async paste(screen) {
      const clip = await readClipboard()
      if (clip === null) stores.pasting.setState({ kind: 'asking', screen }, true)
      else if (clip.files.length > 0) sharing.shareFiles(clip.files)
      else await pasteText(clip.text, screen, clip.html)
    },
    async copyBeamId() {
      const id = beamId()
      if (id && (await writeClipboard(id))) toaster.ok(t`Beam ID copied successfully`)
      else toaster.bad(t`Failed to copy Beam ID!`)
    },
    async copyLink() {
      const address = link()
      if (address && (await writeClipboard(address))) toaster.ok(t`Link copied successfully`)
      else toaster.bad(t`Failed to copy the link!`)
    },
    async shareLink() {
      const url = link()
      if (!url) return
      // Some browsers define the property without a function.
      if (typeof navigator.share !== 'function') {
        window.alert(t`Sharing is not supported on this device/browser.`)
        return
      }
      // Closing the share sheet rejects the promise. That is not an error.
      await navigator
        .share({ title: t`${PRODUCT} Beam`, text: t`Join my Beam on ${PRODUCT}`, url })
        .catch(() => {})
    },
  }
}

/**
 * Whether everybody has this text as an item. A refused item does not count, so that pasting again is another attempt.
 */
function isSame({ content, refusal, to }: Item, text: string): boolean {
  return refusal === undefined && to === undefined && copyableText(content)?.trim() === text
}

const hasTable = /<table[\s>]/i

/** Reads a table in pasted HTML; null when there is none, or the code that reads it does not load. */
async function tableOf(html: string): Promise<RootNode | null> {
  if (!hasTable.test(html)) return null
  try {
    const { tableOfHtml } = await loadPastedHtml()
    return tableOfHtml(html)
  } catch {
    // The text is shared instead.
    return null
  }
}

const loadPastedHtml = loadable(() => import('../features/editor/pasted-html'))

interface Clip {
  readonly text: string
  readonly html: string
  readonly files: readonly File[]
}

const EMPTY: Clip = { text: '', html: '', files: [] }

/** Reads the clipboard once, because each read may ask the person. Returns null when it is refused. */
async function readClipboard(): Promise<Clip | null> {
  const { clipboard } = navigator
  try {
    if (typeof clipboard.read !== 'function') return { ...EMPTY, text: await clipboard.readText() }
    return await clipOf(await clipboard.read())
  } catch (error) {
    // The clipboard has no format that a page may read.
    if (error instanceof DOMException && error.name === 'DataError') return EMPTY
    logClipboardFailure(error)
    return null
  }
}

/** Returns the pictures, or the joined text. An entry with both, as text editors write it, counts as text. */
async function clipOf(items: readonly ClipboardItem[]): Promise<Clip> {
  const texts: string[] = []
  let html = ''
  const files: File[] = []
  for (const item of items) {
    const picture = item.types.find((type) => type.startsWith('image/'))
    if (item.types.includes(TEXT)) texts.push(await (await item.getType(TEXT)).text())
    else if (picture) files.push(fileOf(await item.getType(picture), picture))
    if (item.types.includes(HTML)) html += await (await item.getType(HTML)).text()
  }
  return { text: texts.join('\n'), html, files }
}

function fileOf(picture: Blob, type: string): File {
  return new File([picture], `${t`Pasted picture`}.${type.slice('image/'.length)}`, { type })
}

function logClipboardFailure(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: the specification's way to report a failed read.
  console.warn('Clipboard read failure', error)
}

/** Writes text. Plain-http pages have no clipboard API, so it falls back to copying a selection. */
export async function writeClipboard(text: string): Promise<boolean> {
  try {
    if ('clipboard' in navigator) {
      await navigator.clipboard.writeText(text)
      return true
    }
  } catch {
    // Fall through to the selection.
  }
  return copyBySelection(text)
}

/**
 * Writes HTML with its plain text, or only the text where the browser accepts no HTML. A promise is taken for the HTML,
 * because some browsers no longer count the tap after an await.
 */
export async function writeRichClipboard(text: string, html: Promise<string>): Promise<boolean> {
  const blob = async (type: string, part: string | Promise<string>) => new Blob([await part], { type })
  try {
    const parts = { [TEXT]: blob(TEXT, text), [HTML]: blob(HTML, html) }
    await navigator.clipboard.write([new ClipboardItem(parts)])
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
