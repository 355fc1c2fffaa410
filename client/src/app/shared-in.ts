/** Shares into the beam what another app gave this one; without a beam it waits until there is one. */
import type { Actions } from '../features/actions'
import { takeParcel } from '../service-worker/parcels'
import type { Stores } from '../stores/stores'

/** The service worker leads here with it. */
const PARAM = 'shared'

/** Call it once, when the page starts. */
export async function shareWhatCameIn(
  { connection, parcel }: Pick<Stores, 'connection' | 'parcel'>,
  actions: Pick<Actions, 'shareText' | 'shareFiles'>,
): Promise<void> {
  if (!takeParam() || !('caches' in globalThis)) return
  const { texts, files } = await takeParcel(caches)
  const waiting = texts.length + files.length
  if (waiting === 0) return
  const share = () => {
    if (connection.getState().status !== 'live') return false
    parcel.setState({ waiting: 0 })
    for (const text of texts) actions.shareText(text)
    if (files.length > 0) actions.shareFiles(files)
    return true
  }
  if (share()) return
  parcel.setState({ waiting })
  const end = connection.subscribe(() => share() && end())
}

/** Whether the address says that something came in; it does not say so any more. */
function takeParam(): boolean {
  const url = new URL(location.href)
  if (!url.searchParams.has(PARAM)) return false
  url.searchParams.delete(PARAM)
  history.replaceState(history.state, '', url)
  return true
}
