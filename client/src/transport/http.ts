/** The only file that calls `fetch`. */
import * as v from 'valibot'
import type { CreatedBeam, Site } from '../protocol/bindings'

const BASE = '/api'
const TIMEOUT_MS = 30_000

/** What is wrong with a form, by field (H6). */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** A call that failed. Its message is the server's sentence, else one of the generic ones of the specification. */
export class HttpError extends Error {
  constructor(
    /** Null when there was no answer. */
    readonly status: number | null,
    message: string,
    /** The server's own sentence, if it had one. */
    readonly detail: string | null = null,
    readonly fields: FieldErrors = {},
  ) {
    super(message)
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

/** One call with a JSON body, or none. @throws HttpError */
export async function call<Schema extends v.GenericSchema>(
  method: string,
  path: string,
  schema: Schema,
  sent?: unknown,
): Promise<v.InferOutput<Schema>> {
  const response = await send(method, path, sent)
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw refusal(response.status, body)
  const parsed = v.safeParse(schema, body)
  // A proxy's html page with status 200 ends here.
  if (!parsed.success) throw new HttpError(response.status, 'The server gave an answer that cannot be read.')
  return parsed.output
}

async function send(method: string, path: string, sent: unknown): Promise<Response> {
  try {
    return await fetch(`${BASE}${path}`, {
      method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
    throw new HttpError(null, isTimeout ? `timeout of ${TIMEOUT_MS}ms exceeded` : 'Network Error')
  }
}

function refusal(status: number, body: unknown): HttpError {
  const detail = v.safeParse(v.object({ detail: v.string() }), body)
  if (detail.success) return new HttpError(status, detail.output.detail, detail.output.detail)
  const fields = v.safeParse(v.record(v.string(), v.array(v.string())), body)
  return new HttpError(status, statusText(status), null, fields.success ? fields.output : {})
}

function statusText(status: number): string {
  return `Request failed with status code ${status}`
}
