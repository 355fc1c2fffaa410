/** The parameters of the page's address that are for once: each is read, and removed without a reload. */
import type { Stores } from '../stores/stores'

/** What the installed app's menu offers (`public/manifest.webmanifest`). */
const SHORTCUT = 'do'

/** Reads what was chosen from the installed app's menu, and has it shown. Returns whether that is a new beam. */
export function takeShortcut({ shortcut }: Pick<Stores, 'shortcut'>): boolean {
  const chosen = takeParameter(SHORTCUT)
  if (chosen === 'join' || chosen === 'scan') shortcut.setState({ opens: chosen })
  return chosen === 'new'
}

export function takeParameter(name: string): string | null {
  const url = new URL(location.href)
  const value = url.searchParams.get(name)
  if (value === null) return null
  url.searchParams.delete(name)
  history.replaceState(history.state, '', url)
  return value
}
