/**
 * The keys that are deposited with saved beams (H52). The worker that has the keys calls the server itself, so that they are never
 * in the page's memory. It renews no login: the page does so before.
 */
import * as v from 'valibot'
import type { Deposit } from '../crypto/keyring'
import type { BeamId } from '../protocol/bindings'
import { beamKeysSchema } from '../protocol/schemas'

/** Returns null where nothing was deposited. @throws when the server does not tell */
export async function readDeposit(beam: BeamId): Promise<Deposit | null> {
  const { keys, current } = await ask(beam, {})
  return current === null ? null : { keys, current }
}

/** @throws when the server does not take it */
export async function writeDeposit(beam: BeamId, deposit: Deposit): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const { keys, current } = deposit
  await ask(beam, { method: 'PUT', headers, body: JSON.stringify({ keys, current }) })
}

async function ask(beam: BeamId, request: RequestInit) {
  const answer = await fetch(`/api/beams/${beam}/keys/`, request)
  if (!answer.ok) throw new Error(`The server answers ${answer.status}.`)
  return v.parse(beamKeysSchema, await answer.json())
}
