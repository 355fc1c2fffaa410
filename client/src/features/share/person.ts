/** People by name. */
import type { BeamShare, PublicUser } from '../../protocol/bindings'

type Name = Pick<PublicUser, 'username' | 'first_name' | 'last_name'>

/** Both names; the username of somebody who has none. */
export function fullName({ username, first_name, last_name }: Name): string {
  return `${first_name} ${last_name}`.trim() || username
}

export interface Recipient {
  readonly username: string
  /** Null where the server tells the username only. */
  readonly name: string | null
  readonly picture: string | null
}

/** Whom a beam is shared with. */
export function recipientOf(share: BeamShare & { shared_with_user?: PublicUser }): Recipient {
  const { shared_with, shared_with_user: user } = share
  if (!user) return { username: shared_with, name: null, picture: null }
  return { username: user.username, name: fullName(user), picture: user.profile_picture }
}
