/** The only file that calls `fetch`. */
import * as v from 'valibot'
import type { CreatedBeam, Site } from '../protocol/bindings'

const BASE = '/api'
const TIMEOUT_MS = 30_000

/** A call that failed. `detail` is the server's sentence, else one of the generic ones of the specification. */
export class HttpError extends Error {
  constructor(
    readonly status: number | null,
    detail: string,
  ) {
    super(detail)
  }
}

const createdBeam = v.object({
  beam_id: v.pipe(v.string(), v.uuid()),
  beam_key: v.string(),
  created_at: v.number(),
  expires_at: v.number(),
})

const site = v.object({
  name: v.string(),
  version: v.string(),
  public_url: v.nullable(v.string()),
  network_url: v.nullable(v.string()),
  repository: v.string(),
})

/** Makes a beam (H1). @throws HttpError */
export async function createBeam(): Promise<CreatedBeam> {
  return (await call('POST', '/beams/create/', createdBeam)) as unknown as CreatedBeam
}

/** What the server says of itself (H2). @throws HttpError */
export async function readSite(): Promise<Site> {
  return call('GET', '/site', site)
}

async function call<Schema extends v.GenericSchema>(
  method: string,
  path: string,
  schema: Schema,
): Promise<v.InferOutput<Schema>> {
  const response = await send(method, path)
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw new HttpError(response.status, detailOf(body) ?? statusText(response.status))
  const parsed = v.safeParse(schema, body)
  // A proxy's html page with status 200 ends here.
  if (!parsed.success) throw new HttpError(response.status, 'The server gave an answer that cannot be read.')
  return parsed.output
}

async function send(method: string, path: string): Promise<Response> {
  try {
    return await fetch(`${BASE}${path}`, {
      method,
      credentials: 'same-origin',
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    throw new HttpError(null, isTimeout ? `timeout of ${TIMEOUT_MS}ms exceeded` : 'Network Error')
  }
}

function detailOf(body: unknown): string | null {
  const parsed = v.safeParse(v.object({ detail: v.string() }), body)
  return parsed.success ? parsed.output.detail : null
}

function statusText(status: number): string {
  return `Request failed with status code ${status}`
}
