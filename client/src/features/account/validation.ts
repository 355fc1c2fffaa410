/** The checks of the account forms before anything is sent, with the specification's sentences. */
import { t } from '@lingui/core/macro'

const SHORTEST_PASSWORD = 6

export type Fields = Readonly<Record<string, string>>

/** The error of each field. Valid fields are absent. */
export type Problems = Readonly<Record<string, string>>

/** @returns the first error of each field */
export function loginProblems({ username, password }: Fields): Problems {
  return sentences({
    username: isBlank(username) && t`Username is required`,
    password: passwordProblem(password),
  })
}

/** @returns the first error of each field */
export function registerProblems(fields: Fields): Problems {
  const { password, confirm_password } = fields
  return sentences({
    ...nameProblems(fields),
    password: passwordProblem(password),
    confirm_password: password !== confirm_password && t`Passwords do not match`,
  })
}

/** @returns the first error of each field */
export function profileProblems(fields: Fields): Problems {
  return sentences(nameProblems(fields))
}

/** @returns the first error of each field */
export function newPasswordProblems({ password = '', fresh, confirm }: Fields): Problems {
  return sentences({
    password: password === '' && t`Password is required`,
    fresh: passwordProblem(fresh) || (fresh === password && t`Choose another password than the current one`),
    confirm: fresh !== confirm && t`Passwords do not match`,
  })
}

function nameProblems({ first_name, last_name, username, email }: Fields) {
  return {
    first_name: isBlank(first_name) && t`First name is required`,
    last_name: isBlank(last_name) && t`Last name is required`,
    username: isBlank(username) && t`Username is required`,
    email: isBlank(email) && t`Email is required`,
  }
}

function passwordProblem(password = ''): string | false {
  if (password === '') return t`Password is required`
  const bytes = new TextEncoder().encode(password).length
  return bytes < SHORTEST_PASSWORD && t`Password must be at least 6 characters`
}

function isBlank(text = ''): boolean {
  return text.trim() === ''
}

function sentences(problems: Record<string, string | false>): Problems {
  const isProblem = (entry: [string, string | false]): entry is [string, string] => entry[1] !== false
  return Object.fromEntries(Object.entries(problems).filter(isProblem))
}
