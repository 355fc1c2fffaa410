/** The worker in which the engine lives, so that a busy page slows no transfer and a transfer no page. */
import { Engine } from './engine'
import type { EngineCommand, EngineEvent } from './engine-messages'
import { MemoryFiles } from './sinks/memory'
import { DiskFiles, hasOpfs, sweepDisk, tabFolder } from './sinks/opfs'
import { ReceivedFiles } from './sinks/received-files'

const scope = self as unknown as {
  /** Names the tab: what it received outlives this worker. */
  readonly name: string
  postMessage(message: unknown, transfer: Transferable[]): void
  onmessage: ((event: MessageEvent<EngineCommand>) => void) | null
  onunhandledrejection: ((event: PromiseRejectionEvent) => void) | null
}

let files = 0
const randomName = () => crypto.randomUUID?.() ?? `${performance.timeOrigin}-${++files}`

function disk(tab: string): DiskFiles | null {
  if (!hasOpfs()) return null
  const swept = sweepDisk(tab).catch(() => {})
  return new DiskFiles(async () => {
    await swept
    return tabFolder(tab)
  }, randomName)
}

const say = (event: EngineEvent, transfer: Transferable[] = []) => scope.postMessage(event, transfer)
const received = new ReceivedFiles(disk(scope.name), new MemoryFiles(), () => say({ say: 'memoryOnly' }))
const engine = new Engine(say, received, () => performance.now())

scope.onmessage = ({ data }) => engine.handle(data)

// Only what is thrown outside of a promise reaches the page, which then starts a new worker.
scope.onunhandledrejection = ({ reason }) => {
  setTimeout(() => {
    throw reason
  })
}
