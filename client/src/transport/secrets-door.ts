/** The page's way to the worker that has the keys: every method of `Secrets`, and what the page asks of the vault, answered by messages. */
import type { VaultState } from '../protocol/vaults'
import type { KeysInVault } from './keys-in-vault'
import { NotEntered } from './not-entered'
import type { Secrets } from './secrets'
import type { VaultChanges } from './vault-changes'
import type { VaultKeeper } from './vault-keeper'

export type SecretsMethod = Exclude<keyof Secrets, 'kept'>

/** The vault of the person who is logged in, as the page uses it. */
export type VaultDoor = Pick<
  VaultKeeper,
  'prove' | 'keepOpener' | 'loggedInAsTyped' | 'enterVault' | 'leaveVault'
> &
  Pick<VaultChanges, 'beginVault' | 'createVault' | 'changePassword' | 'recoverVault'> &
  Pick<KeysInVault, 'ownBeams' | 'peopleOf' | 'trust' | 'howKept'>

type VaultMethod = keyof VaultDoor
type Method = SecretsMethod | VaultMethod

export interface Question {
  readonly number: number
  readonly method: Method
  readonly args: readonly unknown[]
}

export type Answer =
  | { readonly number: number; readonly value: unknown }
  /** `isEntered`: whether the worker knew the beam. */
  | { readonly number: number; readonly failure: string; readonly isEntered: boolean }

/** So the page asks whether the worker runs, which answers the same at once: what it does may wait long for the server. */
export const PING = 'ping'

/** `Secrets` as the page uses it. */
export type SecretsDoor = Pick<Secrets, SecretsMethod>

/** The parts of the worker that answer. */
type Part = 'secrets' | 'keeper' | 'changes' | 'keys'

/** All of them: the compiler says when one is missing. */
const VAULT_METHODS: Readonly<Record<VaultMethod, Part>> = {
  prove: 'keeper',
  keepOpener: 'keeper',
  loggedInAsTyped: 'keeper',
  enterVault: 'keeper',
  leaveVault: 'keeper',
  beginVault: 'changes',
  createVault: 'changes',
  changePassword: 'changes',
  recoverVault: 'changes',
  ownBeams: 'keys',
  peopleOf: 'keys',
  trust: 'keys',
  howKept: 'keys',
}

const SECRETS_METHODS: Readonly<Record<SecretsMethod, true>> = {
  make: true,
  makeKey: true,
  enter: true,
  stored: true,
  deposit: true,
  depositSaved: true,
  distrust: true,
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
  compared: true,
  forgetJoiner: true,
}

/** Those of `Secrets`. */
export const METHODS = Object.keys(SECRETS_METHODS) as readonly SecretsMethod[]

/** Returns which part of the worker answers a question. */
export function partOf(method: Method): Part {
  return isOfVault(method) ? VAULT_METHODS[method] : 'secrets'
}

function isOfVault(method: Method): method is VaultMethod {
  return method in VAULT_METHODS
}

/**
 * A question that has no answer after so many checks fails, and where the worker has said nothing since, it is replaced. The minute is in
 * steps: a phone that has slept has not waited.
 */
const CHECK_MS = 5_000
const MOST_CHECKS = 12

interface Asker {
  resolve(value: unknown): void
  reject(error: Error): void
  checks: number
}

/** What a worker knows of the person, and its successor has to: it would take them for somebody without a vault. */
class ToldOfPerson {
  #entered: Parameters<VaultDoor['enterVault']> | null = null
  #own: Parameters<VaultDoor['ownBeams']> | null = null

  asked(method: Method, args: readonly unknown[]): void {
    // The types of the door hold that the arguments are those of the method.
    if (method === 'enterVault') this.#enters([...args] as Parameters<VaultDoor['enterVault']>)
    if (method === 'ownBeams') this.#own = [...args] as Parameters<VaultDoor['ownBeams']>
    if (method === 'leaveVault') [this.#entered, this.#own] = [null, null]
  }

  /** Another person's beams are other ones, and one with another username is asked for theirs again. */
  #enters(entered: Parameters<VaultDoor['enterVault']>): void {
    if (this.#entered && this.#entered[0] !== entered[0]) this.#own = null
    this.#entered = entered
  }

  answered(method: Method, value: unknown): void {
    const hasVault =
      method === 'enterVault'
        ? ['open', 'locked'].includes((value as VaultState).is)
        : method === 'createVault' && value === 'done'
    const hasNone = method === 'enterVault' && (value as VaultState).is === 'none'
    if ((hasVault || hasNone) && this.#entered) this.#entered = [this.#entered[0], hasVault]
  }

  get questions(): readonly Pick<Question, 'method' | 'args'>[] {
    return [
      ...(this.#entered ? [{ method: 'enterVault', args: this.#entered } as const] : []),
      ...(this.#own ? [{ method: 'ownBeams', args: this.#own } as const] : []),
    ]
  }
}

/** Starts the worker with the first question. */
export function openSecrets(): SecretsDoor & VaultDoor {
  const waiting = new Map<number, Asker>()
  const told = new ToldOfPerson()
  let worker: Worker | null = null
  let asked = 0
  /** How often it was checked since the worker has answered. */
  let silent = 0
  let checking: ReturnType<typeof setInterval> | null = null

  const take = (number: number): Asker | undefined => {
    const asker = waiting.get(number)
    waiting.delete(number)
    if (waiting.size === 0) stopChecking()
    return asker
  }
  const stopChecking = () => {
    if (checking !== null) clearInterval(checking)
    checking = null
    silent = 0
  }
  const start = () => {
    const made = new Worker(new URL('./secrets-worker.ts', import.meta.url), { type: 'module' })
    made.onmessage = ({ data }: MessageEvent<Answer | typeof PING>) => {
      silent = 0
      if (data === PING) return
      const asker = take(data.number)
      if (!('failure' in data)) asker?.resolve(data.value)
      else asker?.reject(data.isEntered ? new Error(data.failure) : new NotEntered())
    }
    made.onerror = replace
    for (const question of told.questions) {
      asked += 1
      made.postMessage({ number: asked, ...question } satisfies Question)
    }
    return made
  }
  /** The next question starts another one, which knows nothing of any beam. */
  const replace = () => {
    worker?.terminate()
    worker = null
    for (const number of [...waiting.keys()]) take(number)?.reject(new NotEntered())
  }
  const check = () => {
    silent += 1
    if (silent >= MOST_CHECKS) return replace()
    worker?.postMessage(PING)
    for (const [number, asker] of waiting) {
      asker.checks += 1
      if (asker.checks >= MOST_CHECKS) take(number)?.reject(new Error('The keys cannot be reached.'))
    }
  }
  const ask =
    (method: Method) =>
    (...args: readonly unknown[]): Promise<unknown> =>
      new Promise((resolve, reject) => {
        worker ??= start()
        told.asked(method, args)
        asked += 1
        const answered = (value: unknown) => {
          told.answered(method, value)
          resolve(value)
        }
        waiting.set(asked, { resolve: answered, reject, checks: 0 })
        checking ??= setInterval(check, CHECK_MS)
        worker.postMessage({ number: asked, method, args } satisfies Question)
      })
  const methods: readonly Method[] = [...METHODS, ...(Object.keys(VAULT_METHODS) as VaultMethod[])]
  return Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as SecretsDoor &
    VaultDoor
}
