/** The page's handle on the engine in its worker. */
import type { DeviceId } from '../protocol/bindings'
import type { EngineCommand, EngineEvent } from './engine-messages'
import { bridgeChannel } from './port-link'

export class Transfers {
  readonly #worker = new Worker(new URL('./transfer-worker.ts', import.meta.url), { type: 'module' })

  constructor(onEvent: (event: EngineEvent) => void) {
    this.#worker.onmessage = ({ data }: MessageEvent<EngineEvent>) => onEvent(data)
  }

  tell(command: EngineCommand, transfer: Transferable[] = []): void {
    this.#worker.postMessage(command, transfer)
  }

  /**
   * Hands a data channel to the engine. Call it in the same task that made the channel: browsers let a channel go to a
   * worker only then, and some not at all.
   */
  addChannel(device: DeviceId, key: string, channel: RTCDataChannel): void {
    try {
      this.tell({ do: 'channel', device, key, channel }, [channel as unknown as Transferable])
    } catch {
      const { port1, port2 } = new MessageChannel()
      bridgeChannel(channel, port1)
      this.tell({ do: 'port', device, key, port: port2 }, [port2])
    }
  }
}
