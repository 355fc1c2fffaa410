/** The figures that need browsers. `node bench/browsers.ts first-page joining`; all of them without a name. */
import { Server } from '../support/server.ts'
import { measureDirect } from './direct.ts'
import { measureFirstPage } from './first-page.ts'
import { measureFirstPaint } from './first-paint.ts'
import { measureJoining } from './joining.ts'
import { measureAccessibility, measureBestPractices } from './lighthouse.ts'
import { measureMemory } from './memory.ts'
import { printHeading, printRow } from './table.ts'

const FIGURES = {
  'first-page': measureFirstPage,
  'first-paint': measureFirstPaint,
  joining: measureJoining,
  accessibility: measureAccessibility,
  'best-practices': measureBestPractices,
  direct: measureDirect,
  memory: measureMemory,
}

const asked = process.argv.slice(2)
printHeading()
const server = await Server.start()
try {
  for (const [name, measure] of Object.entries(FIGURES)) {
    if (asked.length === 0 || asked.includes(name)) printRow(await measure(server))
  }
} finally {
  await server.stop()
}
