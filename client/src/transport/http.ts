/** HTTP calls to the server. This is the only file that uses `fetch`. */
import { t } from '@lingui/core/macro'
import * as v from 'valibot'
import { inLanguage } from '../languages/refusals'
import { originIn } from '../protocol/beam-link'
import type {
  CreatedBeam,
  Diagnosis,
  FieldErrors,
  OwnCertificate,
  Site,
  UploadedFile,
} from '../protocol/bindings'
import {
  createdBeamSchema,
  diagnosisSchema,
  errorBodySchema,
  fieldErrorsSchema,
  ownCertificateSchema,
  siteSchema,
  uploadedFileSchema,
} from '../protocol/schemas'

const BASE = '/api'
const TIMEOUT_MS = 30_000

/**
 * A failed call. Its message is the server's sentence, or else a generic one of the specification. All sentences are in
 * the language of the page.
 */
export class HttpError extends Error {
  constructor(
    /** HTTP status; null when there was no answer. */
    readonly status: number | null,
    message: string,
    /** The server's sentence, when it sent one. */
    readonly detail: string | null = null,
    /** The errors of a form, by field (H6). */
    readonly fields: FieldErrors = {},
  ) {
    super(message)
  }
}

/** Username and password do not match (H11). Renewing the login would not help. */
class WrongCredentials extends HttpError {}

/** The login has ended, whichever call noticed it. */
export class LoginOver extends HttpError {
  constructor() {
    super(401, 'The login has ended.')
  }
}

/** Whether a call failed because the login has ended. The page itself says so, once. */
export function isLoginOver(error: unknown): boolean {
  return error instanceof LoginOver
}

/** Creates a beam (H1). @throws HttpError */
export async function createBeam(): Promise<CreatedBeam> {
  return call('POST', '/beams/create/', createdBeamSchema)
}

/** Returns the server's description of itself (H2). Of its addresses, what leads nowhere counts as none. @throws HttpError */
export async function readSite(): Promise<Site> {
  const site = await call('GET', '/site', siteSchema)
  return { ...site, public_url: originIn(site.public_url), network_url: originIn(site.network_url) }
}

/** Returns how the server is, and how it sees this page (H50). @throws HttpError */
export async function readDiagnosis(): Promise<Diagnosis> {
  return call('GET', '/doctor', diagnosisSchema)
}

/** Returns the certificate that the server made for itself (H51); null when it made none. @throws HttpError */
export async function readCertificate(): Promise<OwnCertificate | null> {
  return call('GET', '/certificate', ownCertificateSchema).catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 404) return null
    throw error
  })
}

/**
 * Makes one call with a JSON body, a form, or no body. After a 401 it renews the login and tries once more, unless the
 * 401 means wrong credentials. @throws HttpError
 */
export async function call<Schema extends v.GenericSchema>(
  method: string,
  path: string,
  schema: Schema,
  sent?: unknown,
): Promise<v.InferOutput<Schema>> {
  try {
    return await attempt(method, path, schema, sent)
  } catch (error) {
    if (!isStale(error)) throw error
    const renewal = await renewLogin()
    if (renewal === 'over') throw new LoginOver()
    if (renewal === 'unknown') throw new HttpError(null, t`Network Error`)
    return attempt(method, path, schema, sent)
  }
}

/**
 * Returns the stored file of an upload of which all pieces came (H48); `storing` while the server still stores it, and
 * `lapsed` when the server has none. @throws HttpError
 */
export async function readUploaded(id: string): Promise<UploadedFile | 'storing' | 'lapsed'> {
  return attempt('GET', `/tus/${id}`, uploadedFileSchema).catch((error: unknown) => {
    if (error instanceof HttpError && error.status === 202) return 'storing'
    // Only this server says so in such words: a proxy has a page of its own, or none.
    if (error instanceof HttpError && error.status === 404 && error.detail !== null) return 'lapsed'
    throw error
  })
}

/** Makes one call without renewing the login and without a retry. @throws HttpError */
export async function attempt<Schema extends v.GenericSchema>(
  method: string,
  path: string,
  schema: Schema,
  sent?: unknown,
): Promise<v.InferOutput<Schema>> {
  const response = await send(method, path, sent)
  const body: unknown = await response.json().catch(() => undefined)
  if (!response.ok) throw await refusal(response.status, body)
  const parsed = v.safeParse(schema, body)
  // For example a proxy's HTML page with status 200.
  if (!parsed.success) throw new HttpError(response.status, t`The server sent an unreadable answer.`)
  return parsed.output
}

/** The outcome of renewing a login. `unknown`: the network failed, which says nothing about the login. */
export type Renewal = 'renewed' | 'over' | 'unknown'

let renewLogin: () => Promise<Renewal> = () => Promise.resolve('unknown')

/** Sets the function that renews a login. */
export function renewLoginBy(renew: () => Promise<Renewal>): void {
  renewLogin = renew
}

function isStale(error: unknown): boolean {
  return error instanceof HttpError && error.status === 401 && !(error instanceof WrongCredentials)
}

async function send(method: string, path: string, sent: unknown): Promise<Response> {
  // The browser sets a form's content type itself, because it chooses the boundary.
  const isJson = sent !== undefined && !(sent instanceof FormData)
  try {
    return await fetch(`${BASE}${path}`, {
      method,
      credentials: 'same-origin',
      headers: { accept: 'application/json', ...(isJson ? { 'content-type': 'application/json' } : {}) },
      ...(sent === undefined ? {} : { body: isJson ? JSON.stringify(sent) : (sent as FormData) }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch (error) {
    throw new HttpError(null, withoutAnswer(error))
  }
}

/** The specification's text for a request that got no answer. */
function withoutAnswer(error: unknown): string {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'TimeoutError') return t`timeout exceeded`
  return name === 'AbortError' ? t`Request aborted` : t`Network Error`
}

async function refusal(status: number, body: unknown): Promise<HttpError> {
  const error = v.safeParse(errorBodySchema, body)
  if (error.success) {
    const { detail } = error.output
    // Their code is that of a login that is over, which is renewed without a word.
    const isWrong = detail === 'Invalid credentials'
    const sentence = status === 401 && !isWrong ? detail : await inLanguage(detail)
    const Refusal = isWrong ? WrongCredentials : HttpError
    return new Refusal(status, sentence, sentence)
  }
  const fields = v.safeParse(fieldErrorsSchema, body)
  return new HttpError(
    status,
    statusText(status),
    null,
    fields.success ? await translated(fields.output) : {},
  )
}

async function translated(fields: FieldErrors): Promise<FieldErrors> {
  const entries = Object.entries(fields).map(async ([field, sentences]) => [
    field,
    await Promise.all(sentences.map(inLanguage)),
  ])
  return Object.fromEntries(await Promise.all(entries))
}

function statusText(status: number): string {
  return t`Request failed with status code ${status}`
}

/** Whether the server has no stored copy at an address any more (H41); null where it does not say. */
export async function isCopyGone(url: string): Promise<boolean | null> {
  const asked = { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) } as const
  const answer = await fetch(url, asked).catch(() => null)
  if (answer?.status === 404 || answer?.status === 410) return true
  return answer?.ok ? false : null
}

/** Reads a stored copy or blob URL whole. @throws as `fetch` does */
export async function readBlob(url: string): Promise<Blob> {
  const answer = await fetch(url)
  if (!answer.ok) throw new HttpError(answer.status, statusText(answer.status))
  return answer.blob()
}

/** Reads the first `bytes` bytes of a stored copy or blob URL, or all when there are fewer. @throws as `fetch` does */
export async function readStart(url: string, bytes: number): Promise<Uint8Array> {
  const stored = url.startsWith('/')
  const answer = await fetch(url, stored ? { headers: { range: `bytes=0-${bytes - 1}` } } : {})
  if (!answer.ok || !answer.body) throw new HttpError(answer.status, statusText(answer.status))
  const start = new Uint8Array(bytes)
  let length = 0
  const reader = answer.body.getReader()
  while (length < bytes) {
    const { done, value } = await reader.read()
    if (done) break
    start.set(value.subarray(0, bytes - length), length)
    length += Math.min(value.byteLength, bytes - length)
  }
  // Ends the download; the rest is not needed.
  await reader.cancel()
  return start.subarray(0, length)
}

/** Reads `bytes` bytes, at least one, of a stored copy from a position on. @throws as `fetch` does */
export async function readPart(
  url: string,
  start: number,
  bytes: number,
  signal?: AbortSignal,
): Promise<Response> {
  const headers = { range: `bytes=${start}-${start + bytes - 1}` }
  const answer = await fetch(url, { headers, signal: signal ?? null })
  // With 200 the whole would come, which begins elsewhere.
  if (answer.status !== 206) throw new HttpError(answer.status, statusText(answer.status))
  return answer
}

/** Reads a whole file from an address: a blob URL, or a stored copy. */
export async function readBytes(url: string): Promise<ReadableStream<Uint8Array>> {
  const answer = await fetch(url)
  if (!answer.ok || !answer.body) throw new HttpError(answer.status, statusText(answer.status))
  return answer.body
}
