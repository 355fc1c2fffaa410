/** The secrets as one beam uses them: a worker that was replaced knows nothing of the beam, and is told of it again. */
import { NotEntered } from './not-entered'
import { METHODS, type SecretsDoor, type SecretsMethod } from './secrets-door'

/** These ask the server, whose refusal is no failure of the worker. */
const ASKS_SERVER: readonly SecretsMethod[] = ['deposit', 'withdraw']
/** These enter a beam themselves. */
const ENTERS: readonly SecretsMethod[] = [
  'make',
  'enter',
  'moved',
  'rekeySaved',
  'depositSaved',
  'distrust',
  'forget',
]

/**
 * Where a question fails, the beam is entered again and the question asked once more.
 * @param enter enters the beam, with what is known here of its link
 */
export function enteredSecrets(secrets: SecretsDoor, enter: () => Promise<unknown>): SecretsDoor {
  const ask =
    (method: SecretsMethod) =>
    async (...args: readonly unknown[]): Promise<unknown> => {
      const call = async () => Reflect.apply(secrets[method], secrets, args)
      try {
        return await call()
      } catch (error) {
        const isLost = error instanceof NotEntered || !ASKS_SERVER.includes(method)
        if (!isLost || ENTERS.includes(method)) throw error
        await enter()
        return call()
      }
    }
  return Object.fromEntries(METHODS.map((method) => [method, ask(method)])) as unknown as SecretsDoor
}
