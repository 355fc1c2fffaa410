/**
 * Runs schemathesis, which sends what the API description allows and much that it does not. Only this file knows it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Login } from './api.ts'

const TOOL = fileURLToPath(new URL('../../target/test-tools/bin/st', import.meta.url))
/** Random cases per call, in addition to those that cover its description. */
const EXAMPLES = 25
/** Not checked, because a description cannot express rules such as a taken username or a wrong password. */
const NOT_CHECKED = 'positive_data_acceptance'
/** The bodies of tus are bytes under a name of their own, which the tool does not know how to send. */
const HOOKS = `
import schemathesis

schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
`
/** What tus answers to a request that does not name its version (H45) is not among what the tool takes for a refusal. */
const VERSION_REFUSED = `
[[operations]]
include-path-regex = "/tus/"
[operations.checks.missing_required_header]
expected-statuses = ["400", "412", "415"]
[operations.checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "415", "429"]
`

export interface Asking {
  /** The login of the requests. */
  login?: Login
  /** Values of path and query parameters, so that calls find existing objects. */
  parameters?: Record<string, string>
  /** Calls that would remove what the others need, as `METHOD path`. */
  without?: string[]
}

export interface Verdict {
  passed: boolean
  /** The output of the tool. */
  report: string
}

/** Tests every call with a login, and checks every answer against the description. */
export async function askEverything(
  origin: string,
  { login, parameters = {}, without = [] }: Asking,
): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'schemathesis-'))
  const config = join(folder, 'schemathesis.toml')
  // As the scheme of the description, so that the tool also tries each call without it and with a wrong one.
  await writeFile(
    config,
    table('parameters', parameters) +
      table('auth.openapi.login', login ? { api_key: login.access } : {}) +
      VERSION_REFUSED,
  )
  const hooks = 'heliograph_hooks'
  await writeFile(join(folder, `${hooks}.py`), HOOKS)
  const env = { ...process.env, SCHEMATHESIS_HOOKS: hooks, PYTHONPATH: folder }
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
  const child = spawn(TOOL, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => output.push(bytes))
  const [code] = (await once(child, 'close')) as [number | null]
  await rm(folder, { recursive: true, force: true })
  // The lines for interactive progress are removed.
  const report = Buffer.concat(output).toString()
  return { passed: code === 0, report: report.slice(Math.max(0, report.indexOf('= FAILURES ='))) }
}

/** Formats a table in TOML; empty when it has no values. */
function table(name: string, values: Record<string, string>): string {
  const lines = Object.entries(values).map(
    ([key, value]) => `${JSON.stringify(key)} = ${JSON.stringify(value)}\n`,
  )
  return lines.length > 0 ? `[${name}]\n${lines.join('')}\n` : ''
}
