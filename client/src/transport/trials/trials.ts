/** Everything that the page's doctor looks at. Each finding is told as soon as there is one. */
import { shareableOrigin } from '../../protocol/beam-link'
import type { Finding } from '../../protocol/findings'
import { readSite } from '../http'
import { tryDatabase, tryPermission, trySecure, tryStorage, tryWorker } from './browser-trials'
import { tryPeers } from './peer-trials'
import { tryServer, tryWebsocket } from './server-trials'

/** Runs all trials, and is done after the last. */
export async function runTrials(tell: (finding: Finding) => void): Promise<void> {
  tell(trySecure())
  const alone = [
    tryStorage(),
    tryDatabase(),
    tryWorker(),
    tryPermission('camera'),
    tryPermission('clipboard'),
  ]
  const over = (async () => {
    const { finding, iceServers } = await tryWebsocket()
    tell(finding)
    for await (const trial of tryPeers(iceServers)) tell(trial)
  })()
  const server = tryServer().then((findings) => findings.forEach(tell))
  await Promise.all([...[...alone, tryAddress()].map(async (trial) => tell(await trial)), server, over])
}

/** Whether other devices can open the address in the QR code. */
async function tryAddress(): Promise<Finding> {
  try {
    const { hostname } = new URL(shareableOrigin(await readSite(), location))
    const isOwn = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
    return { trial: 'address', outcome: isOwn ? 'warning' : 'ok' }
  } catch {
    return { trial: 'address', outcome: 'skipped' }
  }
}
