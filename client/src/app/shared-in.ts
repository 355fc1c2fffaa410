/** Shares into the beam what another app gave this one; without a beam it waits until there is one. */
import type { Actions } from '../features/actions'
import { countShared, takeShared } from '../service-worker/share-target'
import type { Stores } from '../stores/stores'

/** The service worker leads here with it. The address says so until it is shared: a reload finds it again. */
const PARAM = 'shared'

/** Call it once, when the page starts. */
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
