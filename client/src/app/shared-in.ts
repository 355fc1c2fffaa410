/**
 * What another app shared to this one. It is shown, and shared only when the person asks: any website can hand over
 * content in the same way.
 */
import type { Actions } from '../features/actions'
import { displayName } from '../protocol/names'
import { dropShared, readShared, type SharedContent } from '../service-worker/share-target'
import { notConnected } from './access-news'
import type { Context } from './context'
import { whyNotShare } from './sharing'

/** Query parameter set by the service worker. */
const PARAM = 'shared'

type SharedIn = Pick<Actions, 'shareParcel' | 'discardParcel'>

/** Shows what waits, at the start of the page, and returns the actions on it. */
export function createSharedIn(
  context: Context,
  sharing: Pick<Actions, 'shareText' | 'shareFiles'>,
): SharedIn {
  const { shareTarget } = context.stores
  let isBusy = false
  const show = async () => {
    const { texts, files } = await readShared(caches)
    const named = files.map(({ name, size }) => ({ name: displayName(name), size }))
    shareTarget.setState({ texts, files: named }, true)
  }
  /**
   * Removes what waits if `act` returns true, and shows it until it is gone: a page that is loaded again finds what is still stored. A second
   * tap while the first is at work counts for nothing.
   */
  const take = async (act: (content: SharedContent) => boolean) => {
    if (isBusy) return
    isBusy = true
    try {
      const content = await readShared(caches)
      if (act(content)) {
        await dropShared(caches, content)
        await show()
      }
    } finally {
      isBusy = false
    }
  }
  dropParam()
  if ('caches' in globalThis) void show().catch(() => {})
  return {
    shareParcel: () =>
      take(({ texts, files }) => {
        const refusal = whyNot(context)
        if (refusal !== null) {
          context.toaster.bad(refusal)
          return false
        }
        // Files that cannot be shared go on waiting, and the texts with them.
        if (files.length > 0 && !sharing.shareFiles(files)) return false
        for (const text of texts) sharing.shareText(text)
        return true
      }),
    discardParcel: () => take(() => true),
  }
}

/** Returns why nothing can be shared now. Without a connection it waits where it is, which survives a reload. */
function whyNot(context: Context): string | null {
  const isLive = context.stores.connection.getState().status === 'live'
  return whyNotShare(context) ?? (isLive ? null : notConnected())
}

function dropParam(): void {
  const url = new URL(location.href)
  if (!url.searchParams.has(PARAM)) return
  url.searchParams.delete(PARAM)
  history.replaceState(history.state, '', url)
}
