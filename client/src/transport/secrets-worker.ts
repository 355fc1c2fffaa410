/** The worker that has the keys of beams. */
import { readDeposit, writeDeposit } from './key-deposits'
import { KeyStore } from './key-store'
import { NotEntered } from './not-entered'
import { Secrets } from './secrets'
import type { Answer, Question } from './secrets-door'

const kept = new KeyStore(() => Date.now())
const secrets = new Secrets(kept, { read: readDeposit, write: writeDeposit })
void kept.sweep()

const tell = (answer: Answer) => postMessage(answer)

addEventListener('message', ({ data: { number, method, args } }: MessageEvent<Question>) => {
  // The types hold that the arguments are those of the method.
  const call = secrets[method] as (...all: unknown[]) => Promise<unknown>
  // Also what is thrown before anything is awaited is an answer.
  void (async () => call.apply(secrets, [...args]))().then(
    (value) => tell({ number, value }),
    (error: unknown) => tell({ number, failure: String(error), isEntered: !(error instanceof NotEntered) }),
  )
})
