/** The vault of the account (E17): opened with the login, closed at logout, set up and changed by its dialogs. */
import { t } from '@lingui/core/macro'
import type { FormOutcome } from '../features/account-actions'
import type { VaultActions } from '../features/vault-actions'
import type { Beam, BeamId } from '../protocol/bindings'
import { isInVault, type VaultOutcome, type VaultState } from '../protocol/vaults'
import type { AccountState } from '../stores/account'
import type { BeamsState } from '../stores/beams'
import type { Stores } from '../stores/stores'
import { deposited, NOTHING_KNOWN, type VaultsState } from '../stores/vault'
import { readMe } from '../transport/account-calls'
import type { SecretsDoor, VaultDoor } from '../transport/secrets-door'
import { loadable } from '../ui/lazy-part'
import { writeClipboard } from './clipboard'
import { forgetVault, hasKnownVault, hasKnownVaults, onKnownVaults, rememberVault } from './known-vaults'
import { hearPages, tellPages } from './page-channel'
import { isSealing } from './sealing-choice'
import type { Toaster } from './toaster'
import { untilTold } from './until-told'

const calls = loadable(() => import('../transport/beam-calls'))

/** So long after the worker or the server has not told of the vault, they are asked again. In milliseconds. */
const AGAIN_MS = 10_000

/** On which pages tell each other which vault they have opened. */
const OPENED = 'opened-vaults'

interface Opened {
  readonly username: string | null
  readonly own: VaultState
}

interface Context {
  readonly stores: Stores
  readonly toaster: Toaster
  readonly door: VaultDoor & Pick<SecretsDoor, 'depositSaved'>
  /** Gives a saved beam new keys, which go into vaults. */
  readonly rekey: (beam: BeamId) => void
  /** The vault is open now that was not when the page may have looked in it. */
  readonly opened: () => void
}

export function createVault(context: Context): VaultActions {
  const { stores, toaster, door } = context
  const enter = keepOpen(context)
  tellOwnBeams(context)
  followLists(context)
  // Not once, when the vault is made: a tab that is closed meanwhile has moved some of them.
  stores.vault.subscribe(({ own }, before) => {
    if (own?.is !== 'open' || before.own?.is === 'open') return
    if (before.own !== null) context.opened()
    void moveDeposits(context).catch(() => {})
  })

  /** Sends a change of the vault. */
  const change = async (send: () => Promise<VaultOutcome>, done: string): Promise<FormOutcome> => {
    await renewed()
    const outcome = await send().catch((): VaultOutcome => 'failed')
    if (outcome !== 'done') return refused(outcome)
    await enter()
    toaster.ok(done)
    return { ok: true }
  }
  return {
    begin: async () => {
      try {
        return await door.beginVault()
      } catch {
        toaster.bad(failed())
        return null
      }
    },
    create: (password, fresh) => change(() => door.createVault(password, fresh), t`Your vault is set up`),
    changePassword: (password, fresh) =>
      change(
        () => door.changePassword(password, fresh),
        t`Password changed. Your other devices are logged out.`,
      ),
    recover: (words, password, fresh) =>
      change(() => door.recoverVault(words, password, fresh), t`Your vault is open again`),
    handKeys: async (beam, person, shown) => {
      const handed = await handKeys(context, beam, person, shown).catch((): Handed => 'failed')
      if (handed === 'done') toaster.ok(t`${{ person }} can open the beam now`)
      if (handed === 'failed') toaster.bad(failed())
      if (handed === 'changed')
        toaster.bad(t`The digits of ${{ person }} are not those that were shown. Compare them again.`)
    },
    copyWords: async (words) => {
      if (await writeClipboard(words.join(' '))) toaster.ok(t`Words copied successfully`)
      else toaster.bad(t`Failed to copy the words!`)
    },
  }
}

/**
 * Returns what ends that a person can open a beam. It is to be done before the share ends: afterwards the server need not say whose key is
 * whose.
 */
export function endsTrust({
  stores,
  door,
}: Pick<Context, 'stores'> & { readonly door: Pick<SecretsDoor, 'distrust'> }): (
  beam: BeamId,
  username: string,
) => Promise<void> {
  return async (beam, username) => {
    if (stores.vault.getState().own?.is !== 'open') return
    await renewed()
    await door.distrust(beam, username)
  }
}

/** How it went: `changed`, where the person has another vault than the one that was shown; `later`, once the beam has new keys. */
type Handed = 'done' | 'later' | 'needless' | 'changed' | 'failed'

async function handKeys(
  { stores, door, rekey }: Context,
  beam: BeamId,
  person: string,
  shown: string | undefined,
): Promise<Handed> {
  // Without it nothing can be handed to anybody, and the person may have none.
  if (stores.vault.getState().own?.is !== 'open') return 'needless'
  const kept = await door.howKept()
  stores.vault.setState({ kept })
  const people = await door.peopleOf(beam)
  showPeople(stores, beam, people)
  const fingerprint = people.find(({ username }) => username === person)?.fingerprint ?? null
  if (fingerprint === null || !isInVault(kept[beam])) return 'needless'
  if (!(await door.trust(beam, person, shown ?? fingerprint))) return 'changed'
  const { went } = await door.depositSaved(beam)
  // With the new keys, which the server does not have, they go to that person too.
  if (went === 'exposed') rekey(beam)
  const then = await door.peopleOf(beam)
  showPeople(stores, beam, then)
  if (went === 'exposed') return 'later'
  // Keys may have gone into vaults, and not into that of a person whose share has ended, or who has another one by now.
  const hasKeys = then.some((one) => one.username === person && one.hasKeys)
  return went === 'into-vaults' && hasKeys ? 'done' : 'failed'
}

/** Shows them in the Share dialog of their beam. An answer may be so late that it is closed, or that of another one is open. */
function showPeople({ beams, vault }: Stores, beam: BeamId, people: VaultsState['people']): void {
  const { sharing } = beams.getState()
  if (sharing.status === 'ready' && sharing.beam.beam_id === beam) vault.setState({ people })
}

/** Opens the vault with each login. Returns what looks again whether it is open. */
function keepOpen({ stores, door }: Context): () => Promise<void> {
  const username = () => usernameIn(stores.account.getState())
  let again: ReturnType<typeof setTimeout> | undefined
  const enter = async () => {
    clearTimeout(again)
    const name = username()
    if (name === null || !isWanted(name)) return
    const own = await door.enterVault(name, hasKnownVault(name)).catch((): VaultState => ({ is: 'unknown' }))
    if (username() !== name) return
    if (own.is === 'open' || own.is === 'locked') rememberVault(name)
    if (own.is === 'none') forgetVault(name)
    stores.vault.setState({ own: shown(own) })
    if (own.is === 'unknown') again = setTimeout(() => void renewed().then(enter), AGAIN_MS)
  }
  // The worker finds a vault that another page has made or opened, and is to know then which beams are own ones.
  onKnownVaults(() => {
    const name = username()
    if (name !== null && hasKnownVault(name) && stores.vault.getState().own?.is !== 'open') void enter()
  })
  // On another page it may be locked, or be the one of before.
  stores.vault.subscribe(({ own }, before) => {
    if (own?.is !== 'open' || isSameVault(own, before.own)) return
    tellPages<Opened>(OPENED, { username: username(), own })
  })
  hearPages<Opened>(OPENED, (opened) => {
    const isHere = isSameVault(opened.own, stores.vault.getState().own)
    if (!isHere && opened.username === username()) void enter()
  })
  followLogin(stores, {
    enter: () => void enter(),
    leave: () => void door.leaveVault().catch(() => {}),
  })
  return enter
}

/** Whether both are open, and have the same key. */
function isSameVault(one: VaultState, other: VaultState | null): boolean {
  return one.is === 'open' && other?.is === 'open' && one.fingerprint === other.fingerprint
}

/** Returns the username of who is logged in; null where that is not known. */
function usernameIn(account: AccountState): string | null {
  return account.status === 'authenticated' ? account.user.username : null
}

/** A browser that seals nothing has no use for a vault, and most accounts have none. */
function isWanted(username: string): boolean {
  return isSealing() || hasKnownVault(username)
}

function shown(own: VaultState): VaultState | null {
  return isSealing() || own.is !== 'none' ? own : null
}

/** Renews a stale login, which the worker does not. */
async function renewed(): Promise<void> {
  await readMe().catch(() => null)
}

/** Returns the username of who is logged in; null where that is nobody, and undefined where it is not known. */
function whoIsIn(state: AccountState): string | null | undefined {
  if (state.status === 'authenticated') return state.user.username
  return state.status === 'anonymous' && !state.isGuess ? null : undefined
}

/**
 * Opens the vault when somebody is logged in, and closes it when that login has ended, also while no page was open: the next login would
 * find what belongs to this one.
 */
function followLogin(
  { account, vault }: Stores,
  { enter, leave }: { enter: () => void; leave: () => void },
): void {
  let before: string | null | undefined
  const look = () => {
    const now = whoIsIn(account.getState())
    if (now === undefined || now === before) return
    // Where nobody had a vault, nothing is kept, and a visitor's page needs no worker for it.
    if (now === null && (before !== undefined || hasKnownVaults())) leave()
    vault.setState(NOTHING_KNOWN, true)
    before = now
    if (now !== null) enter()
  }
  account.subscribe(look)
  look()
}

/**
 * Learns how keys are kept when the lists of beams come and when this page has deposited keys, and which vaults people have when the
 * Share dialog opens.
 */
function followLists({ stores, door }: Context): void {
  const tell = (change: Partial<VaultsState>) => stores.vault.setState(change)
  let asked = 0
  const learnKept = () => {
    asked += 1
    const question = asked
    // An answer from before the latest deposit may come late.
    const hear = (kept: VaultsState['kept']) => question === asked && tell({ kept })
    void door.howKept().then(hear, () => {})
  }
  const learnPeople = (beam: BeamId) =>
    void door.peopleOf(beam).then(
      (people) => showPeople(stores, beam, people),
      () => {},
    )
  const look = ({ lists, sharing }: BeamsState, before: BeamsState | null) => {
    if (stores.vault.getState().own === null) return
    const isOpened = sharing.status === 'ready' && before?.sharing.status !== 'ready'
    if (isOpened || (lists.status === 'ready' && before?.lists.status !== 'ready')) learnKept()
    if (isOpened) learnPeople(sharing.beam.beam_id)
    else if (sharing.status === 'closed' && before?.sharing.status === 'ready') tell({ people: [] })
  }
  stores.beams.subscribe(look)
  // The lists may be here before it is known whether there is a vault, and before it is open.
  stores.vault.subscribe(({ own, deposits }, before) => {
    if (own === null) return
    if (own.is !== before.own?.is) look(stores.beams.getState(), null)
    // They come to the server a moment after their beam was saved.
    if (deposits > before.deposits) learnKept()
  })
}

/** Which beams are the person's own, the worker is told before it is asked about them. */
function tellOwnBeams({ stores, door }: Context): void {
  const look = ({ lists }: BeamsState) => {
    if (lists.status === 'ready') void door.ownBeams(lists.mine.map(({ beam_id }) => beam_id)).catch(() => {})
  }
  stores.beams.subscribe((state, before) => state.lists !== before.lists && look(state))
  look(stores.beams.getState())
}

/** The worker takes no keys from the vault before it is told which beams are own ones. Returns these; null where the vault is closed again. */
function toldOwnBeams({ stores: { account, vault }, door }: Context): Promise<readonly Beam[] | null> {
  const username = usernameIn(account.getState())
  const isWanted = () => vault.getState().own?.is === 'open' && usernameIn(account.getState()) === username
  return untilTold(async () => {
    const mine = await (await calls()).listBeams()
    if (isWanted()) await door.ownBeams(mine.map(({ beam_id }) => beam_id))
    return mine
  }, isWanted)
}

/**
 * The server has the keys of beams that were saved before there was a vault: they get new ones, and the deposit ends. Keys that an earlier
 * page has made for the vault, and that did not come there, come there now, and so do those that are in an earlier vault, where they are here.
 */
async function moveDeposits(context: Context): Promise<void> {
  const mine = await toldOwnBeams(context)
  if (!mine) return
  const { stores, door, toaster, rekey } = context
  const kept = await door.howKept()
  let isAnyMoved = false
  let isAnyStuck = false
  for (const { beam_id } of mine) {
    const how = kept[beam_id]
    if (how === undefined || isInVault(how)) continue
    // What does not come there now does when the vault is opened the next time.
    const went = await door.depositSaved(beam_id).then(
      (deposit) => deposit.went,
      () => null,
    )
    if (went === 'exposed') rekey(beam_id)
    isAnyMoved ||= went === 'into-vaults'
    isAnyStuck ||= how === 'readable' && (went === 'nowhere' || went === 'not-yet')
  }
  if (isAnyMoved) stores.vault.setState(deposited)
  if (isAnyStuck) toaster.bad(failed())
}

function refused(outcome: Exclude<VaultOutcome, 'done'>): FormOutcome {
  if (outcome === 'wrong-password')
    return { ok: false, fields: { password: t`The password is wrong` }, whole: null }
  if (outcome === 'wrong-words')
    return { ok: false, fields: { words: t`These are not the words of this vault` }, whole: null }
  return { ok: false, fields: {}, whole: outcome === 'words-lost' ? wordsLost() : failed() }
}

function wordsLost(): string {
  return t`The vault was not set up, and the words that you have written down open nothing. Close this and start over with new words.`
}

function failed(): string {
  return t`The vault could not be changed. Try again.`
}
