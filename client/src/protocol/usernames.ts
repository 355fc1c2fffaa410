/** Names of accounts, which are matched without case. */

/** Whether two people who type these mean the same account. */
export function isSameUsername(one: string, other: string): boolean {
  return usernameKey(one) === usernameKey(other)
}

export function usernameKey(username: string): string {
  return username.trim().toLowerCase()
}
