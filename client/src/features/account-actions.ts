/** What a person can do with an account. */
import type { ProfileChange } from '../protocol/bindings'

/** What a form is told: nothing is wrong, or what is, by field. What belongs to no field was said as a toast. */
export type FormOutcome = { ok: true } | { ok: false; fields: Readonly<Record<string, string>> }

export interface NewAccount {
  readonly first_name: string
  readonly last_name: string
  readonly username: string
  readonly email: string
  readonly password: string
  readonly profile_picture: File | null
}

export interface AccountActions {
  logIn(username: string, password: string): Promise<FormOutcome>
  register(account: NewAccount): Promise<FormOutcome>
  /** Ends the login; true when it has ended. */
  logOut(): Promise<boolean>
  changeProfile(change: ProfileChange): Promise<FormOutcome>
  /** Takes a picture as it was chosen: checks it, makes it small, saves it. */
  changePicture(file: File): Promise<void>
  /** Deletes the account; the page begins anew at its root when that is done. */
  deleteAccount(password: string): Promise<FormOutcome>
  /** A picture as it will be uploaded; null, and said why, when it cannot be. */
  preparePicture(file: File): Promise<File | null>
  /** The buttons whose time has not come. */
  comingSoon(text: string): void
}
