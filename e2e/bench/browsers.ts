/** The figures that need browsers. `node bench/browsers.ts [first-page] [direct] [memory]`; all without a name. */
import { Server } from '../support/server.ts'
import { measureCanvas } from './canvas.ts'
import { measureDirect } from './direct.ts'
import { measureFirstPage } from './first-page.ts'
import { measureMemory } from './memory.ts'
import { printHeading, printRow } from './table.ts'

const FIGURES = {
  'first-page': measureFirstPage,
  canvas: measureCanvas,
  direct: measureDirect,
  memory: measureMemory,
}

const asked = process.argv.slice(2)
printHeading()
const server = await Server.start()
try {
  for (const [name, measure] of Object.entries(FIGURES)) {
    if (asked.length > 0 && !asked.includes(name)) continue
    for (const row of [await measure(server)].flat()) printRow(row)
  }
} finally {
  await server.stop()
}
