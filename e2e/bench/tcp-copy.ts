/** A file over bare TCP: `tcp-copy.ts source PORT FILE` gives it to whoever connects, `tcp-copy.ts sink HOST PORT FILE` writes it. */
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream/promises'

const PIECE = { highWaterMark: 1 << 20 }

const [role, ...words] = process.argv.slice(2)
if (role === 'source') await gives(Number(words[0]), words[1] ?? '')
else await pipeline(connect(Number(words[1]), words[0] ?? ''), createWriteStream(words[2] ?? '', PIECE))

async function gives(port: number, path: string): Promise<void> {
  const server = createServer((client) =>
    pipeline(createReadStream(path, PIECE), client).catch(() => client.destroy()),
  )
  await once(server.listen(port), 'listening')
  process.stdout.write('ready\n')
}
