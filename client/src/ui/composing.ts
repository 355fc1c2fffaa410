/**
 * Whether a key belongs to the composition of a character (IME): the Enter that takes a candidate sends nothing. Safari ends the
 * composition before it tells of the key, which then bears the code 229 (UI Events, 7.3.1).
 */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229
}
