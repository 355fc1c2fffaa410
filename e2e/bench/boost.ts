/** What the relay adds to direct links on a distant path that loses packets, beside one flow of TCP on the same cable. */
import { Folder, MB } from '../support/files.ts'
import { flowSpeed } from './fairness.ts'
import { onCable, speed } from './lab.ts'
import { productSpeed } from './network.ts'
import { median, type Row } from './table.ts'

const TRAITS = { roundTrip: 50, loss: 0.5 }
const SIZE = 150 * MB
const RUNS = Number(process.env.RUNS ?? 3)

export async function measureBoost(): Promise<Row> {
  const [boost, direct, tcp]: number[][] = [[], [], []]
  await Folder.with(async (folder) => {
    const film = await folder.file('film.bin', SIZE)
    for (let run = 0; run < RUNS; run += 1) {
      for (const [use, speeds] of [
        ['boost', boost],
        ['fallback', direct],
      ] as const)
        speeds?.push(await onCable(TRAITS, (lab) => productSpeed(lab, film), { HELIOGRAPH_RELAY: use }))
      tcp?.push(await onCable(TRAITS, flowSpeed))
      const [joined, alone, flow] = [boost, direct, tcp].map((speeds) => speed(speeds?.at(-1)))
      process.stderr.write(`boost, run ${run + 1} of ${RUNS}: ${joined}, direct only ${alone}, TCP ${flow}\n`)
    }
  })
  return {
    figure: 'direct links and the relay, 50 ms, 0.5 % lost',
    product: speed(median(boost ?? [])),
    reference: speed(median(tcp ?? [])),
    value: median(boost ?? []) / median(tcp ?? []),
    target: { atLeast: 0.6 },
    notes: [`direct links only: ${speed(median(direct ?? []))}`],
  }
}
