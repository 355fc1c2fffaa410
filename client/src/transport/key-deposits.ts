/** The keys that are deposited with saved beams (H52). The worker that has the keys calls the server itself. */
import type { Deposit } from '../crypto/keyring'
import type { BeamId } from '../protocol/bindings'
import { beamKeysSchema } from '../protocol/schemas'
import { attempt } from './http'

/** Returns null where nothing was deposited. The page renews a stale login before. @throws HttpError */
export async function readDeposit(beam: BeamId): Promise<Deposit | null> {
  const { keys, current } = await attempt('GET', `/beams/${beam}/keys/`, beamKeysSchema)
  return current === null ? null : { keys, current }
}

/** @throws HttpError */
export async function writeDeposit(beam: BeamId, deposit: Deposit): Promise<void> {
  await attempt('PUT', `/beams/${beam}/keys/`, beamKeysSchema, deposit)
}
