/** The actions of an account. */
import type { ProfileChange } from '../protocol/bindings'

/** The result of sending a form: its errors, by field, and the one that belongs to no field, which a toast showed too. */
export type FormOutcome =
  | { ok: true }
  | {
      ok: false
      fields: Readonly<Record<string, string>>
      whole: string | null
      /** The server wants the password as it was typed, which only one from the operator may be. */
      wantsPassword?: true
    }

export interface NewAccount {
  readonly first_name: string
  readonly last_name: string
  readonly username: string
  readonly email: string
  readonly password: string
  readonly profile_picture: File | null
}

export interface AccountActions {
  /** @param isFromOperator whether the password may be sent as it is, though the account had a vault on this device */
  logIn(username: string, password: string, isFromOperator?: boolean): Promise<FormOutcome>
  register(account: NewAccount): Promise<FormOutcome>
  /** Ends the login. Resolves to true when it has ended. */
  logOut(): Promise<boolean>
  changeProfile(change: ProfileChange): Promise<FormOutcome>
  /** Checks a chosen picture, scales it down and saves it. */
  changePicture(file: File): Promise<void>
  /** Deletes the account. The page is then loaded anew at its root. @param isFromOperator as for a login */
  deleteAccount(password: string, isFromOperator?: boolean): Promise<FormOutcome>
  /** Prepares a picture for upload. Resolves to null, after a toast with the reason, when it cannot be used. */
  preparePicture(file: File): Promise<File | null>
  /** Shows the toast of a feature that is not available yet. */
  comingSoon(text: string): void
}
