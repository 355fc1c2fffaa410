/**
 * The keys that are deposited with saved beams (H52). The worker that has the keys calls the server itself, so that they are never
 * in the page's memory. It renews no login: the page does so before.
 */
import * as v from 'valibot'
import type { Deposit } from '../crypto/deposit'
import type { BeamId } from '../protocol/bindings'
import { beamKeysSchema } from '../protocol/schemas'

export const TIMEOUT_MS = 30_000
/** By these the server refuses a caller (H52), and will when it is asked again. */
const REFUSALS = [403, 404]
/** The keys of the beam are in vaults by now: these would be sent again and again for nothing. */
const IN_VAULTS = 409

/** Whether an answer says that there is nothing for this person. Who is not logged in has no deposit either. */
export function hasNothing(status: number): boolean {
  return status === 401 || REFUSALS.includes(status)
}

/** Returns null where nothing was deposited for this person to read. @throws when the server does not tell */
export async function readDeposit(beam: BeamId): Promise<Deposit | null> {
  const answer = await ask(beam, {})
  if (hasNothing(answer.status)) return null
  const { keys, current, proof } = v.parse(beamKeysSchema, await bodyOf(answer))
  return current === null ? null : { keys, current, proof }
}

/** Resolves once the server has it or refuses it for good. @throws when it may take it later */
export async function writeDeposit(beam: BeamId, deposit: Deposit): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await ask(beam, { method: 'PUT', headers, body: JSON.stringify(deposit) })
  if (![...REFUSALS, IN_VAULTS].includes(answer.status)) await bodyOf(answer)
}

function ask(beam: BeamId, request: RequestInit): Promise<Response> {
  return fetch(`/api/beams/${beam}/keys/`, { ...request, signal: AbortSignal.timeout(TIMEOUT_MS) })
}

function bodyOf(answer: Response): Promise<unknown> {
  if (!answer.ok) throw new Error(`The server answers ${answer.status}.`)
  return answer.json()
}
