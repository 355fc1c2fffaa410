/** The server says in English why it refuses something. Here its sentences are translated. */
import { i18n, type MessageDescriptor, setupI18n } from '@lingui/core'
import { msg, ph } from '@lingui/core/macro'
import { messages } from './en.po'
import { SOURCE } from './languages'

/** The texts in the server's language, whichever language the page has. */
const english = setupI18n({ locale: SOURCE, messages: { [SOURCE]: messages } })

/** The sentences of the server that a person can see, letter by letter. A test compares them with its sources. */
export const SERVER_TEXTS: readonly MessageDescriptor[] = [
  // Any call
  msg`Log in first.`,
  msg`Something went wrong on the server.`,
  msg`The body is not the JSON that this call expects.`,
  msg`The request came too slowly. Check the connection and try again.`,
  msg`The request cannot be read.`,
  msg`The request is too large.`,
  msg`The server cannot do this now. Try again.`,
  msg`The server cannot write to its database.`,
  msg`The server has too many connections. Try again.`,
  msg`The store of the files does not answer. Try again.`,
  msg`There is no room for this.`,
  msg`There is nothing here.`,
  msg`This is not allowed.`,
  msg`This path does not know that method.`,
  msg`This request comes from another site.`,
  msg`This server does not answer as ${ph({ address: '' })}. If that is its address, start it with --public-url https://${ph({ address: '' })}.`,
  msg`Too many requests.`,
  msg`Too many requests. Try again in ${ph({ seconds: '' })} s.`,
  // Accounts
  msg`Email is required`,
  msg`Email must be at most 254 characters`,
  msg`Failed to process image`,
  msg`First name is required`,
  msg`First name must be at most 80 characters`,
  msg`Image size must be less than 5MB`,
  msg`Invalid credentials`,
  msg`Last name is required`,
  msg`Last name must be at most 80 characters`,
  msg`Password is required`,
  msg`Password must be at least 6 characters`,
  msg`Password must be at most 1024 characters`,
  msg`Please enter a valid email address`,
  msg`Please enter your password to confirm account deletion`,
  msg`Please leave out line breaks and other control characters`,
  msg`Please select a valid image file (JPEG, PNG, or WebP)`,
  msg`Please select an image file`,
  msg`The image must be at most 4096 pixels wide and high`,
  msg`The password is wrong`,
  msg`This username is already taken`,
  msg`Username is required`,
  msg`Username may have letters, digits, dots, hyphens and underscores only`,
  msg`Username must have 3 to 30 characters`,
  // Beams, shares and files
  msg`Choose a file.`,
  msg`Only images, audio and video can be uploaded.`,
  msg`Please enter a beam name`,
  msg`Please enter a username`,
  msg`The beam name must be at most 120 characters`,
  msg`There is nobody with this username`,
  msg`This beam belongs to that person`,
  msg`This beam is shared with that person already`,
  msg`Your access to this beam does not allow that.`,
  // A live beam
  msg`Cannot delete beam note from UI (Update Soon)`,
  msg`Every device here has this item already.`,
  msg`Log in to save this beam.`,
  msg`No more devices can be removed from this beam. Make a new beam instead.`,
  msg`No more devices can be removed from this beam. Renew its link instead.`,
  msg`Only the creator of this beam can save it.`,
  msg`Only the creator, owner and admins can remove devices.`,
  msg`Only the device that asked to keep this beam and the beam's creator can end that earlier.`,
  msg`Only the owner and admins of this beam can rename it.`,
  msg`Send at most 500 places at a time.`,
  msg`That device has not been in this beam lately.`,
  msg`That device is not in this beam.`,
  msg`That was asked too often. Wait a little.`,
  msg`The account of this beam's owner is full. Delete files or notes first.`,
  msg`The server does not know this type of message.`,
  msg`The server has no memory for this now. Try again later.`,
  msg`The server has no room to keep more of this beam. Delete something first.`,
  msg`The server has no room to keep this beam.`,
  msg`The server's disk is full. Try again later.`,
  msg`This beam cannot store that much at once. Try again.`,
  msg`This beam has changed in the meantime.`,
  msg`This beam is full. Delete something first.`,
  msg`This beam is saved, so all of it is kept.`,
  msg`This could not be stored. Try again.`,
  msg`This device has this item already.`,
  msg`This message cannot be read.`,
  msg`This message is too long.`,
  msg`This message nests deeper than 100 levels.`,
  msg`Try again.`,
  msg`You cannot change this note.`,
  msg`You may only read in this beam.`,
]

/** Returns a sentence of the server in the language of the page, or as it is if the page does not know it. */
export function serverText(sentence: string): string {
  for (const text of SERVER_TEXTS) {
    const values = valuesIn(sentence, text)
    if (values) return i18n._({ ...text, values })
  }
  return sentence
}

/** Returns the value of the placeholder of a text, if it has one; null when the sentence is not this text. */
function valuesIn(sentence: string, text: MessageDescriptor): Record<string, string> | null {
  const [name] = Object.keys(text.values ?? {})
  if (name === undefined) return english._(text) === sentence ? {} : null
  const [before = '', after = ''] = english._({ ...text, values: { [name]: GAP } }).split(GAP)
  const values = { [name]: sentence.slice(before.length, sentence.indexOf(after, before.length)) }
  return english._({ ...text, values }) === sentence ? values : null
}

/** No sentence contains it. */
const GAP = '\0'
