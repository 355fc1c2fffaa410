/** Shares what another app shared to this one. It waits until the page is in a beam. */
import type { Actions } from '../features/actions'
import { countShared, takeShared } from '../service-worker/share-target'
import type { Stores } from '../stores/stores'

/**
 * Query parameter set by the service worker. It stays in the address until the content is shared, to survive a reload.
 */
const PARAM = 'shared'

/** Checks once, at the start of the page. */
export async function shareWhatCameIn(
  { connection, shareTarget }: Pick<Stores, 'connection' | 'shareTarget'>,
  actions: Pick<Actions, 'shareText' | 'shareFiles'>,
): Promise<void> {
  if (!new URL(location.href).searchParams.has(PARAM) || !('caches' in globalThis)) return
  const waiting = await countShared(caches)
  if (waiting === 0) return dropParam()
  shareTarget.setState({ waiting })
  const share = async () => {
    if (connection.getState().status !== 'live') return
    end()
    const { texts, files } = await takeShared(caches)
    dropParam()
    shareTarget.setState({ waiting: 0 })
    for (const text of texts) actions.shareText(text)
    if (files.length > 0) actions.shareFiles(files)
  }
  const end = connection.subscribe(() => void share())
  await share()
}

function dropParam(): void {
  const url = new URL(location.href)
  url.searchParams.delete(PARAM)
  history.replaceState(history.state, '', url)
}
