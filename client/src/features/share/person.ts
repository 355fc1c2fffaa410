/** Names of people. */
import type { BeamShare, PublicUser } from '../../protocol/bindings'

type Name = Pick<PublicUser, 'username' | 'first_name' | 'last_name'>

/** Returns first and last name, or the username of a person without either. */
export function fullName({ username, first_name, last_name }: Name): string {
  return `${first_name} ${last_name}`.trim() || username
}

export interface Recipient {
  readonly username: string
  /** Null when the server sent only the username. */
  readonly name: string | null
  readonly picture: string | null
}

/** Returns the recipient of a share. */
export function recipientOf(share: BeamShare & { shared_with_user?: PublicUser }): Recipient {
  const { shared_with, shared_with_user: user } = share
  if (!user) return { username: shared_with, name: null, picture: null }
  return { username: user.username, name: fullName(user), picture: user.profile_picture }
}
