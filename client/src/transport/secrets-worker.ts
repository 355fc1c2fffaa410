/** The worker that has the keys of beams, and the vault of the person who is logged in. */
import { readDeposit, writeDeposit } from './key-deposits'
import { KeyStore } from './key-store'
import { NotEntered } from './not-entered'
import { Secrets } from './secrets'
import { type Answer, isOfVault, PING, type Question } from './secrets-door'
import { vaultServer } from './vault-calls'
import { VaultKeeper } from './vault-keeper'
import { VaultStore } from './vault-store'

const kept = new KeyStore(() => Date.now())
const vault = new VaultKeeper(vaultServer, new VaultStore(kept))
const secrets = new Secrets(kept, { read: readDeposit, write: writeDeposit }, vault)
void kept.sweep()

const tell = (answer: Answer | typeof PING) => postMessage(answer)

addEventListener('message', ({ data }: MessageEvent<Question | typeof PING>) => {
  if (data === PING) return tell(PING)
  const { number, method, args } = data
  const owner = isOfVault(method) ? vault : secrets
  // The types hold that the arguments are those of the method.
  const call = Reflect.get(owner, method) as (...all: unknown[]) => Promise<unknown>
  // Also what is thrown before anything is awaited is an answer.
  void (async () => call.apply(owner, [...args]))().then(
    (value) => tell({ number, value }),
    (error: unknown) => tell({ number, failure: String(error), isEntered: !(error instanceof NotEntered) }),
  )
})
