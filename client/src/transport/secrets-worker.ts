/** The worker that has the keys of beams, and the vault of the person who is logged in. */
import { readDeposit, writeDeposit } from './key-deposits'
import { KeyStore } from './key-store'
import { KeysInVault } from './keys-in-vault'
import { NotEntered } from './not-entered'
import { Secrets } from './secrets'
import { type Answer, PING, partOf, type Question } from './secrets-door'
import { SeenEntryStore } from './seen-entries'
import { vaultServer } from './vault-calls'
import { VaultChanges } from './vault-changes'
import { VaultKeeper } from './vault-keeper'
import { VaultStore } from './vault-store'

const kept = new KeyStore(() => Date.now())
const keeper = new VaultKeeper(vaultServer, new VaultStore(kept))
const changes = new VaultChanges(vaultServer, keeper)
const keys = new KeysInVault(vaultServer, keeper, kept)
const seen = new SeenEntryStore(() => Date.now())
const secrets = new Secrets(kept, { read: readDeposit, write: writeDeposit }, keys, seen)
const parts = { secrets, keeper, changes, keys }
void kept.sweep()
void seen.sweep()

const tell = (answer: Answer | typeof PING) => postMessage(answer)

addEventListener('message', ({ data }: MessageEvent<Question | typeof PING>) => {
  if (data === PING) return tell(PING)
  const { number, method, args } = data
  const part = parts[partOf(method)]
  // The types hold that the arguments are those of the method.
  const call = Reflect.get(part, method) as (...all: unknown[]) => Promise<unknown>
  // Also what is thrown before anything is awaited is an answer.
  void (async () => call.apply(part, [...args]))().then(
    (value) => tell({ number, value }),
    (error: unknown) => tell({ number, failure: String(error), isEntered: !(error instanceof NotEntered) }),
  )
})
