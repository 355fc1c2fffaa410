/**
 * The accounts that had a vault on this device. A server that says they have none wants their passwords as they are typed (E16), so this
 * is remembered longer than any login.
 */
import { usernameKey } from '../protocol/usernames'
import { browserStorage } from '../stores/site-storage'

const KEY = 'accounts with a vault'

export function hasKnownVault(username: string): boolean {
  return known().includes(usernameKey(username))
}

/** Returns whether anybody had a vault on this device. */
export function hasKnownVaults(): boolean {
  return known().length > 0
}

export function rememberVault(username: string): void {
  if (hasKnownVault(username)) return
  browserStorage.setItem(KEY, JSON.stringify([...known(), usernameKey(username)]))
}

/** Calls whoever listens when another page of this browser has learnt of a vault, or of one that is gone. */
export function onKnownVaults(hear: () => void): void {
  addEventListener('storage', ({ key }) => key === KEY && hear())
}

/** The account is gone, or was made anew: of the new one nothing is known. */
export function forgetVault(username: string): void {
  browserStorage.setItem(KEY, JSON.stringify(known().filter((one) => one !== usernameKey(username))))
}

function known(): readonly string[] {
  try {
    const told: unknown = JSON.parse(browserStorage.getItem(KEY) ?? '[]')
    return Array.isArray(told) ? told : []
  } catch {
    return []
  }
}
