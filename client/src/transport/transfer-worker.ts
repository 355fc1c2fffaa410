/** The worker in which the engine lives, so that a busy page slows no transfer and a transfer no page. */
import { Engine } from './engine'
import type { EngineCommand } from './engine-messages'
import { sinkOpener } from './sinks/open-sink'

const scope = self as unknown as {
  postMessage(message: unknown, transfer: Transferable[]): void
  onmessage: ((event: MessageEvent<EngineCommand>) => void) | null
}

const engine = new Engine(
  (event, transfer = []) => scope.postMessage(event, transfer),
  sinkOpener(crypto.randomUUID?.() ?? String(performance.timeOrigin)),
  () => performance.now(),
)

scope.onmessage = ({ data }) => engine.handle(data)
