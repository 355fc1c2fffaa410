/** The page's way to the worker that has the keys: every method of `Secrets`, answered by a message. */
import type { Secrets } from './secrets'

type Method = Exclude<keyof Secrets, 'kept' | 'deposits'>

export interface Question {
  readonly number: number
  readonly method: Method
  readonly args: readonly unknown[]
}

export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly failure: string }

/** `Secrets` as the page uses it. */
export type SecretsDoor = Pick<Secrets, Method>

/** All of them: the compiler says when one is missing. */
const METHODS: Readonly<Record<Method, true>> = {
  make: true,
  makeKey: true,
  enter: true,
  stored: true,
  deposit: true,
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

/** Starts the worker with the first question. */
export function openSecrets(): SecretsDoor {
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
  return Object.fromEntries(methods.map((method) => [method, ask(method)])) as unknown as SecretsDoor
}
