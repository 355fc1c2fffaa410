/**
 * The calls about vaults (H54 to H56). The worker that has the keys makes them itself, so that nothing that opens a vault is ever in
 * the page's memory. It renews no login: the page does so before.
 */
import * as v from 'valibot'
import { fromBase64Url } from '../crypto/bytes'
import type { Stretch } from '../crypto/stretching'
import type {
  BeamId,
  BeamVault,
  BeamVaultChange,
  KeptBeam,
  Vault as StoredVault,
  Stretch as ToldStretch,
  VaultChange,
} from '../protocol/bindings'
import { beamVaultSchema, keptBeamsSchema, ownVaultSchema } from '../protocol/schemas'
import { TIMEOUT_MS } from './key-deposits'

/** The server's side of vaults. */
export interface VaultServer {
  /** Returns the vault of this login; null where its account has none. @throws Refused, or without an answer */
  read(): Promise<StoredVault | null>
  /** Writes it together with the password. @throws Refused, or without an answer */
  write(change: VaultChange): Promise<void>
  readKeys(beam: BeamId): Promise<BeamVault>
  writeKeys(beam: BeamId, change: BeamVaultChange): Promise<void>
  listKeys(): Promise<readonly KeptBeam[]>
}

/** The server refuses a call. */
export class Refused extends Error {
  constructor(readonly status: number) {
    super(`The server answers ${status}.`)
  }
}

const VAULT = '/api/auth/vault/'
const keysOf = (beam: BeamId) => `/api/beams/${beam}/vault/`

export const vaultServer: VaultServer = {
  read: async () => v.parse(ownVaultSchema, await ask(VAULT)).vault,
  write: async (change) => void (await ask(VAULT, change)),
  readKeys: async (beam) => v.parse(beamVaultSchema, await ask(keysOf(beam))),
  writeKeys: async (beam, change) => void (await ask(keysOf(beam), change)),
  listKeys: async () => v.parse(keptBeamsSchema, await ask(`${VAULT}beams/`)).beams,
}

/** Reads, or with a body writes. */
async function ask(path: string, body?: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const written = body === undefined ? {} : { method: 'PUT', headers, body: JSON.stringify(body) }
  const answer = await fetch(path, { ...written, signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Refused(answer.status)
  return answer.json()
}

/** Whether the operator has replaced the password, so that it does not open the vault. */
export function isReset({ by_password }: StoredVault): boolean {
  return by_password === null
}

/** Returns how the server says that passwords are stretched. */
export function readStretch({ salt, memory_kib, passes }: ToldStretch): Stretch {
  return { salt: fromBase64Url(salt) ?? new Uint8Array(), memoryKib: memory_kib, passes }
}
