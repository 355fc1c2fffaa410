/** The worker that runs the engine, so that a busy page does not slow transfers, nor transfers the page. */
import { blake3 } from './blake3'
import { Engine } from './engine'
import type { EngineCommand, EngineEvent } from './engine-messages'
import { holdTab, tabFolder } from './sinks/disk-folders'
import { sweepDisk } from './sinks/disk-sweep'
import { Journal } from './sinks/journal'
import { MemoryFiles } from './sinks/memory'
import { DiskFiles, hasOpfs } from './sinks/opfs'
import { ReceivedFiles } from './sinks/received-files'
import { readStoredCopy } from './stored-copy'

const scope = self as unknown as {
  /** Name of the tab's folder of received files, which outlives this worker. */
  readonly name: string
  postMessage(message: unknown, transfer: Transferable[]): void
  onmessage: ((event: MessageEvent<EngineCommand>) => void) | null
  onunhandledrejection: ((event: PromiseRejectionEvent) => void) | null
}

let names = 0
const randomName = () => crypto.randomUUID?.() ?? `${performance.timeOrigin}-${++names}`

/** What a page shows is noted again so often, in milliseconds: also soon after the device has slept for weeks. */
const SHOWN_EVERY_MS = 10 * 60 * 1000

function disk(tab: string): DiskFiles | null {
  if (!hasOpfs()) return null
  const journal = new Journal()
  const now = () => Date.now()
  const swept = holdTab(tab)
    .then(() => sweepDisk(journal, now()))
    .catch(() => {})
  const folder = async () => {
    await swept
    return tabFolder(tab)
  }
  const files = new DiskFiles({ name: tab, folder, makeName: randomName, now }, journal)
  setInterval(() => void files.stillShows(), SHOWN_EVERY_MS)
  return files
}

const say = (event: EngineEvent, transfer: Transferable[] = []) => scope.postMessage(event, transfer)
const received = new ReceivedFiles(disk(scope.name), new MemoryFiles(), () => say({ say: 'memoryOnly' }))
const means = { hash: blake3, random: () => Math.random(), readStored: readStoredCopy }
const engine = new Engine(say, received, means, () => performance.now())

scope.onmessage = ({ data }) => engine.handle(data)

// The page replaces the worker on an `error` event, which a rejected promise does not raise by itself.
scope.onunhandledrejection = ({ reason }) => {
  setTimeout(() => {
    throw reason
  })
}
