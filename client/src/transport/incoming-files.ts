/** The files that this device receives. An ended transfer stays until its item goes or is received again. */
import type { ItemId } from '../protocol/bindings'
import type { Incoming } from './incoming'
import type { RemoteDevice } from './remote-device'

export class IncomingFiles extends Map<ItemId, Incoming> {
  some(is: (incoming: Incoming) => boolean): boolean {
    return [...this.values()].some(is)
  }

  /** Those that come from the device that shared them, or wait for their turn. */
  *from(source: RemoteDevice): Generator<Incoming, undefined> {
    for (const incoming of this.values())
      if (incoming.source === source && incoming.isUnderWay) yield incoming
  }
}
