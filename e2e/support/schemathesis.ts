/** The only file that knows schemathesis: everything that the description of the API allows, and much that it does not. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Login } from './api.ts'

const TOOL = fileURLToPath(new URL('../../target/test-tools/bin/st', import.meta.url))
/** Cases for each call beside those that cover its description. */
const EXAMPLES = 25
/** A form has rules that its description cannot say: a name that is taken, a password that is wrong. */
const NOT_CHECKED = 'positive_data_acceptance'

export interface Asking {
  /** Whose login. */
  login?: Login
  /** Values for parameters in paths and queries, so that calls find something. */
  parameters?: Record<string, string>
  /** Calls that would end what the others need, as `METHOD path`. */
  without?: string[]
}

export interface Verdict {
  passed: boolean
  /** What it printed. */
  report: string
}

/** Asks every call as somebody, and judges every answer by the description. */
export async function askEverything(
  origin: string,
  { login, parameters = {}, without = [] }: Asking,
): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'))
  const config = join(folder, 'schemathesis.toml')
  // As the scheme of the description: then the tool also asks each call without it, and with a wrong one.
  await writeFile(
    config,
    table('parameters', parameters) + table('auth.openapi.login', login ? { api_key: login.access } : {}),
  )
  const args = ['--config-file', config, '--no-color', 'run', `${origin}/api/openapi.json`]
  args.push(
    '--phases',
    'coverage,fuzzing',
    '--max-examples',
    `${EXAMPLES}`,
    '--seed',
    '1',
    '--warnings',
    'off',
  )
  args.push('--exclude-checks', NOT_CHECKED, '--generation-database', 'none')
  for (const call of without) args.push('--exclude-name', call)
  const child = spawn(TOOL, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes))
  const [code] = (await once(child, 'close')) as [number | null]
  await rm(folder, { recursive: true, force: true })
  // Its progress is for a person who waits.
  const report = Buffer.concat(output).toString()
  return { passed: code === 0, report: report.slice(Math.max(0, report.indexOf('= FAILURES ='))) }
}

/** A table in TOML, if there is anything in it. */
function table(name: string, values: Record<string, string>): string {
  const lines = Object.entries(values).map(
    ([key, value]) => `${JSON.stringify(key)} = ${JSON.stringify(value)}\n`,
  )
  return lines.length > 0 ? `[${name}]\n${lines.join('')}\n` : ''
}
