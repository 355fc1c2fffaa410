/** Takes the engine's reports into the flows of the cards. */
import type { DeviceId, ItemId } from '../protocol/bindings'
import type { Item } from '../protocol/item'
import type { TransferWay } from '../protocol/way'
import { addMoves, type FlowsEvent, type Moved, reduceFlows } from '../stores/flows'
import type { Stores } from '../stores/stores'
import type { Carrying, Progress } from '../transport/engine-messages'

/** Returns what a report says of a flow; null when that is nothing. */
export function flowEvent(
  item: Item | undefined,
  device: DeviceId,
  progress: Progress,
  wayTo: (device: DeviceId, via: Carrying) => TransferWay,
): Moved | null {
  if (item?.content.kind !== 'file') return null
  const { id, content } = item
  const about = {
    type: 'moved',
    card: content.batch?.id ?? id,
    file: id,
    device,
    now: performance.now(),
  } as const
  switch (progress.status) {
    case 'queued':
    case 'parked':
    case 'paused':
      return { ...about, bytes: progress.bytes, twice: null, way: null }
    case 'moving':
      return { ...about, bytes: progress.bytes, twice: progress.twice, way: wayTo(device, progress.via) }
    case 'done':
      // Without a way it was received before.
      if (progress.via === null) return null
      return { ...about, bytes: content.size, twice: progress.twice, way: wayTo(device, progress.via) }
    default:
      return null
  }
}

/** Takes what reports say of the flows into the store. */
export function putFlows({ flows }: Pick<Stores, 'flows'>, moves: readonly (Moved | null)[]): void {
  const some = moves.filter((move) => move !== null)
  if (some.length > 0) flows.setState((state) => addMoves(state, some), true)
}

/** Forgets the flows of files that are gone, and all with their beam. Call it once. */
export function forgetFlows({ transfers, flows }: Stores): void {
  const put = (event: FlowsEvent) => flows.setState((state) => reduceFlows(state, event), true)
  transfers.subscribe((now, before) => {
    if (now.beams !== before.beams) return put({ type: 'left' })
    for (const card of Object.keys(flows.getState()) as ItemId[])
      if (before.transfers[card] && !now.transfers[card]) put({ type: 'forgotten', card })
  })
}
