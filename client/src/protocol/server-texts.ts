/** The sentences in which the server refuses something. It sends them in English; the page shows them in its language. */
import { i18n, type MessageDescriptor } from '@lingui/core'
import { msg, t } from '@lingui/core/macro'

/**
 * The sentences that a person can see, each as the server sends it and as a text of the page. They stand here twice,
 * because the built page has the English texts in a catalogue only, which another language does not load.
 */
export const SERVER_TEXTS: ReadonlyMap<string, MessageDescriptor> = new Map(
  Object.entries({
    // Any call
    'Log in first.': msg`Log in first.`,
    'Something went wrong on the server.': msg`Something went wrong on the server.`,
    'The body is not the JSON that this call expects.': msg`The body is not the JSON that this call expects.`,
    'The request came too slowly. Check the connection and try again.': msg`The request came too slowly. Check the connection and try again.`,
    'The request cannot be read.': msg`The request cannot be read.`,
    'The request is too large.': msg`The request is too large.`,
    'The server cannot do this now. Try again.': msg`The server cannot do this now. Try again.`,
    'The server cannot write to its database.': msg`The server cannot write to its database.`,
    'The server has too many connections. Try again.': msg`The server has too many connections. Try again.`,
    'The store of the files does not answer. Try again.': msg`The store of the files does not answer. Try again.`,
    'There is no room for this.': msg`There is no room for this.`,
    'There is nothing here.': msg`There is nothing here.`,
    'This is not allowed.': msg`This is not allowed.`,
    'This was changed elsewhere meanwhile. Try again.': msg`This was changed elsewhere meanwhile. Try again.`,
    'This path does not know that method.': msg`This path does not know that method.`,
    'This request comes from another site.': msg`This request comes from another site.`,
    'Too many requests.': msg`Too many requests.`,
    // Accounts
    'Email is required': msg`Email is required`,
    'Email must be at most 254 characters': msg`Email must be at most 254 characters`,
    'Failed to process image': msg`Failed to process image`,
    'First name is required': msg`First name is required`,
    'First name must be at most 80 characters': msg`First name must be at most 80 characters`,
    'Image size must be less than 5MB': msg`Image size must be less than 5MB`,
    'Invalid credentials': msg`Invalid credentials`,
    'Last name is required': msg`Last name is required`,
    'Last name must be at most 80 characters': msg`Last name must be at most 80 characters`,
    'Password is required': msg`Password is required`,
    'Password must be at least 6 characters': msg`Password must be at least 6 characters`,
    'Password must be at most 1024 characters': msg`Password must be at most 1024 characters`,
    'Please enter a valid email address': msg`Please enter a valid email address`,
    'Please enter your password to confirm account deletion': msg`Please enter your password to confirm account deletion`,
    'Please leave out line breaks and other control characters': msg`Please leave out line breaks and other control characters`,
    'Please select a valid image file (JPEG, PNG, or WebP)': msg`Please select a valid image file (JPEG, PNG, or WebP)`,
    'Please select an image file': msg`Please select an image file`,
    'The image must be at most 4096 pixels wide and high': msg`The image must be at most 4096 pixels wide and high`,
    'The password is wrong': msg`The password is wrong`,
    'This username is already taken': msg`This username is already taken`,
    'Username is required': msg`Username is required`,
    'Username may have letters, digits, dots, hyphens and underscores only': msg`Username may have letters, digits, dots, hyphens and underscores only`,
    'Username must have 3 to 30 characters': msg`Username must have 3 to 30 characters`,
    // Beams, shares and files
    'Choose a file.': msg`Choose a file.`,
    'Only images, audio and video can be uploaded.': msg`Only images, audio and video can be uploaded.`,
    'Please enter a beam name': msg`Please enter a beam name`,
    'Please enter a username': msg`Please enter a username`,
    'The beam name must be at most 120 characters': msg`The beam name must be at most 120 characters`,
    'There is nobody with this username': msg`There is nobody with this username`,
    'This beam belongs to that person': msg`This beam belongs to that person`,
    'This beam is shared with 100 people already. Remove somebody first.': msg`This beam is shared with 100 people already. Remove somebody first.`,
    'This beam is shared with that person already': msg`This beam is shared with that person already`,
    'Your access to this beam does not allow that.': msg`Your access to this beam does not allow that.`,
    // A live beam
    'Cannot delete beam note from UI (Update Soon)': msg`Cannot delete beam note from UI (Update Soon)`,
    'Every device here has this item already.': msg`Every device here has this item already.`,
    'Log in to save this beam.': msg`Log in to save this beam.`,
    'No more devices can be removed from this beam. Make a new beam instead.': msg`No more devices can be removed from this beam. Make a new beam instead.`,
    'No more devices can be removed from this beam. Renew its link instead.': msg`No more devices can be removed from this beam. Renew its link instead.`,
    'Only the creator of this beam can save it.': msg`Only the creator of this beam can save it.`,
    'Only the creator, owner and admins can remove devices.': msg`Only the creator, owner and admins can remove devices.`,
    "Only the device that asked to keep this beam and the beam's creator can end that earlier.": msg`Only the device that asked to keep this beam and the beam's creator can end that earlier.`,
    'Only the owner and admins of this beam can rename it.': msg`Only the owner and admins of this beam can rename it.`,
    'Send at most 500 places at a time.': msg`Send at most 500 places at a time.`,
    'That device has not been in this beam lately.': msg`That device has not been in this beam lately.`,
    'That device is not in this beam.': msg`That device is not in this beam.`,
    'That was asked too often. Wait a little.': msg`That was asked too often. Wait a little.`,
    "The account of this beam's owner is full. Delete files or notes first.": msg`The account of this beam's owner is full. Delete files or notes first.`,
    'The server does not know this type of message.': msg`The server does not know this type of message.`,
    'The server has no memory for this now. Try again later.': msg`The server has no memory for this now. Try again later.`,
    'The server has no room to keep more of this beam. Delete something first.': msg`The server has no room to keep more of this beam. Delete something first.`,
    'The server has no room to keep this beam.': msg`The server has no room to keep this beam.`,
    "The server's disk is full. Try again later.": msg`The server's disk is full. Try again later.`,
    'This beam cannot store that much at once. Try again.': msg`This beam cannot store that much at once. Try again.`,
    'This beam has changed in the meantime.': msg`This beam has changed in the meantime.`,
    'This beam is full. Delete something first.': msg`This beam is full. Delete something first.`,
    'This beam is saved, so all of it is kept.': msg`This beam is saved, so all of it is kept.`,
    'This could not be stored. Try again.': msg`This could not be stored. Try again.`,
    'This device has this item already.': msg`This device has this item already.`,
    'This message cannot be read.': msg`This message cannot be read.`,
    'This message is too long.': msg`This message is too long.`,
    'This message nests deeper than 100 levels.': msg`This message nests deeper than 100 levels.`,
    'Try again.': msg`Try again.`,
    'You cannot change this note.': msg`You cannot change this note.`,
    'This server relays nothing between devices.': msg`This server relays nothing between devices.`,
    'You may only read in this beam.': msg`You may only read in this beam.`,
  }),
)

/** The sentences with a number or a name. */
export const SERVER_FORMS: readonly (readonly [form: RegExp, text: (value: string) => string])[] = [
  [
    /^Too many requests\. Try again in (\d+) s\.$/,
    (seconds) => t`Too many requests. Try again in ${seconds} s.`,
  ],
  [
    /^This server does not answer as (.+)\. If that is its address, start it with --public-url https:\/\/\1\.$/,
    (address) =>
      t`This server does not answer as ${address}. If that is its address, start it with --public-url https://${address}.`,
  ],
]

/** Returns a sentence of the server in the language of the page, or as it is if the page does not know it. */
export function serverText(sentence: string): string {
  const text = SERVER_TEXTS.get(sentence)
  if (text) return i18n._(text)
  for (const [form, textWith] of SERVER_FORMS) {
    const value = form.exec(sentence)?.[1]
    if (value !== undefined) return textWith(value)
  }
  return sentence
}
