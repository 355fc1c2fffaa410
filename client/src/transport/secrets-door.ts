/** The page's way to the worker that has the keys: every method of `Secrets`, answered by a message. */
import type { Secrets } from './secrets'
import type { VaultKeeper } from './vault-keeper'

type SecretsMethod = Exclude<keyof Secrets, 'kept' | 'deposits' | 'vault'>
/** Those for the keys of beams are the worker's own. */
type VaultMethod = Exclude<keyof VaultKeeper, 'server' | 'kept' | 'hash' | 'isOpen' | 'read' | 'write'>
type Method = SecretsMethod | VaultMethod

export interface Question {
  readonly number: number
  readonly method: Method
  readonly args: readonly unknown[]
}

export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: string }

/** `Secrets` as the page uses it. */
export type SecretsDoor = Pick<Secrets, SecretsMethod>

/** `VaultKeeper` as the page uses it. */
export type VaultDoor = Pick<VaultKeeper, VaultMethod>

/** All of them: the compiler says when one is missing. */
const VAULT_METHODS: Readonly<Record<VaultMethod, true>> = {
  prove: true,
  enterVault: true,
  leaveVault: true,
  beginVault: true,
  createVault: true,
  changePassword: true,
  recoverVault: true,
  peopleOf: true,
  trust: true,
  howKept: true,
}

const METHODS: Readonly<Record<Method, true>> = {
  ...VAULT_METHODS,
  make: true,
  makeKey: true,
  enter: true,
  stored: true,
  deposit: true,
  depositSaved: true,
  withdraw: true,
  sealKept: true,
  openKept: true,
  moved: true,
  removed: true,
  rekey: true,
  rekeySaved: true,
  introduce: true,
  introduced: true,
  handTo: true,
  handed: true,
  forget: true,
  seal: true,
  open: true,
  ask: true,
  answer: true,
  welcomed: true,
  commit: true,
  accept: true,
  reveal: true,
  revealed: true,
  letIn: true,
  forgetJoiner: true,
}

export function isOfVault(method: Method): method is VaultMethod {
  return method in VAULT_METHODS
}

/** Starts the worker with the first question. */
export function openSecrets(): SecretsDoor & VaultDoor {
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let worker: Worker | null = null
  let asked = 0
  const start = () => {
    const made = new Worker(new URL('./secrets-worker.ts', import.meta.url), { type: 'module' })
    made.onmessage = ({ data }: MessageEvent<Answer>) => {
      const asker = waiting.get(data.number)
      waiting.delete(data.number)
      if ('failure' in data) asker?.reject(new Error(data.failure))
      else asker?.resolve(data.value)
    }
    made.onerror = () => {
      for (const { reject } of waiting.values()) reject(new Error('The keys cannot be reached.'))
      waiting.clear()
      worker = null
    }
    return made
  }
  const ask =
    (method: Method) =>
    (...args: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        asked += 1
        waiting.set(asked, { resolve, reject })
        worker ??= start()
        worker.postMessage({ number: asked, method, args } satisfies Question)
      })
  const methods = Object.keys(METHODS) as Method[]
  return Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as SecretsDoor &
    VaultDoor
}
