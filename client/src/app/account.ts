/** The login of this page: read at the start, checked regularly, and changed by the account's forms. */

import { t } from '@lingui/core/macro'
import { downscale, pictureProblem } from '../features/account/picture'
import type { AccountActions, FormOutcome } from '../features/account-actions'
import { paths } from '../features/paths'
import type { User } from '../protocol/bindings'
import { isSameUsername } from '../protocol/usernames'
import { type AccountEvent, reduceAccount } from '../stores/account'
import { browserStorage, tabStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Toast } from '../stores/toasts'
import * as calls from '../transport/account-calls'
import { HttpError, isLoginOver, renewLoginBy } from '../transport/http'
import { loginRenewal } from '../transport/login-renewal'
import { forgetVault } from './known-vaults'
import { AS_TYPED, NothingToSend, type Passwords, WantsPassword } from './password-proof'
import type { Toaster } from './toaster'

const CHECK_EVERY_MS = 300_000
/** So long after the first check got no answer, it is made again. */
const GUESS_AGAIN_MS = 10_000
/** Session storage key of the text that the next page of this tab shows. */
const NEWS_KEY = 'news for the next page'

const OK: FormOutcome = { ok: true }

/**
 * Starts to check the login, and returns the actions of an account. Call it once. `onLoggedOut` leaves the beam, or joins it
 * again without a login, because the end of a login closes its socket (S27). `passwords` says what is sent as one.
 */
export function createAccount(
  stores: Stores,
  toaster: Toaster,
  onLoggedOut: () => void,
  passwords = AS_TYPED,
): AccountActions {
  const apply = (event: AccountEvent) => stores.account.setState((state) => reduceAccount(state, event), true)
  const enter = (user: User) => apply({ type: 'loggedIn', user })

  const { refresh, readMeOnce: readMe } = calls
  renewLoginBy(loginRenewal({ refresh, readMe, storage: browserStorage, now: () => Date.now() }))
  addEventListener('tokenRefreshed', (event) => enter((event as CustomEvent<User>).detail))
  // A visitor who was never logged in has no login that could expire, so the first 401 shows nothing.
  const expire = () => {
    if (stores.account.getState().status === 'authenticated') toaster.bad(sessionExpired())
    apply({ type: 'loggedOut' })
  }
  addEventListener('authLogout', expire)
  const guess = () => apply({ type: 'loggedOut', isGuess: true })
  keepChecking(stores, { enter, expire, guess })
  sayNewsOfLastPage(toaster)

  return {
    ...formActions(stores, enter, toaster, passwords),
    async logOut() {
      try {
        await calls.logOut()
      } catch (error) {
        toaster.bad(messageOf(error, t`Failed to log out`))
        return false
      }
      apply({ type: 'loggedOut' })
      onLoggedOut()
      toaster.ok(t`Logged out successfully`)
      return true
    },
    async changePicture(file) {
      const picture = await prepare(file, toaster)
      if (!picture) return
      try {
        enter(await calls.changePicture(picture))
        toaster.ok(t`Profile picture updated successfully!`)
      } catch (error) {
        if (!isLoginOver(error)) toaster.bad(sentenceOf(error) ?? t`Failed to update profile picture`)
      }
    },
    preparePicture: (file) => prepare(file, toaster),
    comingSoon: (text) => toaster.info(text),
  }
}

function formActions(
  { account }: Pick<Stores, 'account'>,
  enter: (user: User) => void,
  toaster: Toaster,
  passwords: Passwords,
): Pick<AccountActions, 'logIn' | 'register' | 'changeProfile' | 'deleteAccount'> {
  /** The toast of the last refusal, which holds until a form is answered again. */
  let refusal: Toast['id'] | null = null
  const retract = () => {
    if (refusal !== null) toaster.dismiss(refusal)
    refusal = null
  }
  const succeed = (text: string): FormOutcome => {
    retract()
    toaster.ok(text)
    return OK
  }
  /** Returns the errors of a form. One that belongs to no field is shown as a toast as well. */
  const refuse = (error: unknown, otherwise: string): FormOutcome => {
    retract()
    const fields = fieldsOf(error)
    if (fields) return { ok: false, fields, whole: null }
    if (isLoginOver(error)) return { ok: false, fields: {}, whole: sessionExpired() }
    const whole = sentenceOf(error) ?? otherwise
    refusal = toaster.bad(whole)
    return { ok: false, fields: {}, whole }
  }
  return {
    async logIn(username, password, isFromOperator) {
      try {
        const sent = await passwords.prove(username, password, isFromOperator)
        const user = ofAccount(username, await calls.logIn(username, sent))
        // What was not sent as it was typed belongs to an account with a vault.
        if (sent !== password) await passwords.accepted(username)
        else void passwords.acceptedAsTyped(username)
        enter(user)
        return succeed(t`Login successful!`)
      } catch (error) {
        if (error instanceof WantsPassword)
          return { ok: false, fields: {}, whole: wantsPassword(), wantsPassword: true }
        // The server answered 200, but without a user or unreadably.
        const isAnswer = error instanceof HttpError && error.status === 200
        return refuse(error, isAnswer ? t`Login failed 1` : t`Login failed 2`)
      }
    },
    async register(account) {
      try {
        const user = ofAccount(account.username, await calls.register(account))
        forgetVault(account.username)
        void passwords.acceptedAsTyped(account.username)
        enter(user)
        return succeed(t`Registration successful!`)
      } catch (error) {
        return refuse(error, t`Registration failed`)
      }
    },
    async changeProfile(change) {
      try {
        enter(await calls.changeProfile(change))
        return succeed(t`Profile updated successfully!`)
      } catch (error) {
        return refuse(error, t`Failed to update profile`)
      }
    },
    async deleteAccount(password, isFromOperator) {
      try {
        const state = account.getState()
        const username = state.status === 'authenticated' ? state.user.username : ''
        await calls.deleteAccount(await passwords.prove(username, password, isFromOperator))
        forgetVault(username)
        // The next page finds nobody logged in, and does not know that it has anything to leave.
        await passwords.accountGone()
      } catch (error) {
        if (error instanceof WantsPassword)
          return { ok: false, fields: {}, whole: wantsPassword(), wantsPassword: true }
        return refuse(error, t`Failed to delete account`)
      }
      tabStorage.setItem(NEWS_KEY, t`Account deleted successfully`)
      location.assign(paths.home)
      return OK
    },
  }
}

/**
 * Returns who the server says is logged in. What this device knows of the vault of another account must not go with this login.
 * @throws HttpError for another account than the one that was named
 */
function ofAccount(username: string, user: User): User {
  if (!isSameUsername(user.username, username))
    throw new HttpError(200, 'The server answers for another account.')
  return user
}

/**
 * Checks the login at once and every five minutes. A network failure logs nobody out. When the first check gets no
 * answer, the page assumes that nobody is logged in, and checks again.
 */
function keepChecking(
  { account }: Stores,
  { enter, expire, guess }: { enter: (user: User) => void; expire: () => void; guess: () => void },
): void {
  let isGuess = true
  const answered = (user: User | null) => {
    isGuess = false
    if (user) enter(user)
    else expire()
  }
  const ask = async () => {
    try {
      answered(await calls.readMe())
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) answered(null)
      else if (account.getState().status === 'loading') guess()
    }
  }
  let isAsking = false
  let again: ReturnType<typeof setTimeout> | undefined
  const check = async () => {
    if (isAsking) return
    isAsking = true
    clearTimeout(again)
    await ask().finally(() => {
      isAsking = false
    })
    if (isGuess) again = setTimeout(() => void check(), GUESS_AGAIN_MS)
  }
  const checkAgain = () => void ((isGuess || account.getState().status === 'authenticated') && check())
  void check()
  setInterval(checkAgain, CHECK_EVERY_MS)
  addEventListener('online', () => void (isGuess && check()))
}

/** Shows the text that the last page left, for example after an account was deleted and the page loaded anew. */
function sayNewsOfLastPage(toaster: Toaster): void {
  const news = tabStorage.getItem(NEWS_KEY)
  if (news === null) return
  tabStorage.removeItem(NEWS_KEY)
  toaster.ok(news)
}

async function prepare(file: File, toaster: Toaster): Promise<File | null> {
  const problem = pictureProblem(file)
  if (problem === null) {
    try {
      return await downscale(file)
    } catch (error) {
      toaster.bad(messageOf(error, t`Failed to process image`))
      return null
    }
  }
  toaster.bad(problem)
  return null
}

function wantsPassword(): string {
  return t`The server says that this account has no vault, but it had one on this device. Go on only with a password that the operator has given you, never with your own.`
}

function sessionExpired(): string {
  return t`Session expired. Please login again.`
}

/** Returns the first sentence for each field of a refused form; null for any other error. */
function fieldsOf(error: unknown): Readonly<Record<string, string>> | null {
  if (!(error instanceof HttpError)) return null
  const entries = Object.entries(error.fields).map(([field, sentences]) => [field, sentences[0] ?? ''])
  return entries.length === 0 ? null : Object.fromEntries(entries)
}

/** Returns why nothing was sent, or the server's sentence, of the call or of its first field; null when it sent none. */
function sentenceOf(error: unknown): string | null {
  if (error instanceof NothingToSend) return error.message
  if (!(error instanceof HttpError)) return null
  return error.detail ?? Object.values(error.fields)[0]?.[0] ?? null
}

function messageOf(error: unknown, otherwise: string): string {
  return error instanceof Error && error.message !== '' ? error.message : otherwise
}
