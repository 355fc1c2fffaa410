/**
 * One flow of TCP, as a film or a download of the same household: `tcp-flow.ts source PORT` sends to whoever connects,
 * `tcp-flow.ts sink HOST PORT SECONDS` prints the bytes a second that it gets, after a second for its beginning.
 */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'

const WARM_UP_MS = 1_000

const [role, ...words] = process.argv.slice(2)
if (role === 'source') await sends(Number(words[0]))
else await receives(words[0] ?? '', Number(words[1]), Number(words[2]))

async function sends(port: number): Promise<void> {
  const piece = Buffer.alloc(64 * 1024)
  const endless = () =>
    new Readable({
      read() {
        this.push(piece)
      },
    })
  // It ends when the other side hangs up.
  const server = createServer((client) => pipeline(endless(), client, () => client.destroy()))
  await once(server.listen(port), 'listening')
  process.stdout.write('ready\n')
}

async function receives(host: string, port: number, seconds: number): Promise<void> {
  const flow = connect(port, host)
  let bytes = 0
  flow.on('data', (piece: Buffer) => {
    bytes += piece.length
  })
  await once(flow, 'data')
  await pause(WARM_UP_MS)
  const [began, before] = [performance.now(), bytes]
  await pause(seconds * 1_000)
  process.stdout.write(`${(1_000 * (bytes - before)) / (performance.now() - began)}\n`)
  flow.destroy()
}
