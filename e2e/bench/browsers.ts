/** Measures whole files and browsers: `node bench/browsers.ts [first-page] …`, or everything without a name. */
import { Server } from '../support/server.ts'
import { measureBeside } from './beside.ts'
import { measureBoost } from './boost.ts'
import { measureBurst } from './burst.ts'
import { measureCanvas } from './canvas.ts'
import { measureChange } from './change.ts'
import { measureDirect } from './direct.ts'
import { measureFairness } from './fairness.ts'
import { measureFirstPage } from './first-page.ts'
import { measureFirstPaint } from './first-paint.ts'
import { measureJoining } from './joining.ts'
import { measureAccessibility, measureBestPractices } from './lighthouse.ts'
import { measureMany } from './many.ts'
import { measureMemory } from './memory.ts'
import { measureNativeBrowser, measureNativeCost, measureNativePair, measureNativeStart } from './native.ts'
import { measureNetwork } from './network.ts'
import { measureProcessor } from './processor.ts'
import { measureResume } from './resume.ts'
import { measureSealed } from './sealed.ts'
import { measureSlowLine } from './slow-line.ts'
import { measureStored } from './stored.ts'
import { measureSwarm } from './swarm.ts'
import { printHeading, printRow, type Row } from './table.ts'
import { measureTurn } from './turn.ts'

const FIGURES: Record<string, (server: Server) => Promise<Row | Row[]>> = {
  'first-page': measureFirstPage,
  'first-paint': measureFirstPaint,
  joining: measureJoining,
  accessibility: measureAccessibility,
  'best-practices': measureBestPractices,
  canvas: measureCanvas,
  direct: measureDirect,
  many: measureMany,
  memory: measureMemory,
  'native-browser': measureNativeBrowser,
  'native-pair': measureNativePair,
  'native-cost': measureNativeCost,
  'native-start': measureNativeStart,
  network: measureNetwork,
  beside: measureBeside,
  burst: measureBurst,
  boost: measureBoost,
  fairness: measureFairness,
  change: measureChange,
  processor: measureProcessor,
  resume: measureResume,
  sealed: measureSealed,
  'slow-line': measureSlowLine,
  stored: measureStored,
  swarm: measureSwarm,
  turn: measureTurn,
}

const asked = process.argv.slice(2)
printHeading()
for (const [name, measure] of Object.entries(FIGURES)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const server = await Server.start()
  try {
    for (const row of [await measure(server)].flat()) printRow(row)
  } finally {
    await server.stop()
  }
}
