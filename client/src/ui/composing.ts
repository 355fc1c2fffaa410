/**
 * Whether a key event belongs to the composition of a character (IME), so that the Enter that accepts a candidate does
 * not send. Safari ends the composition before the key event, which then has the code 229 (UI Events, 7.3.1).
 */
export function isComposing({
  isComposing,
  keyCode,
}: Pick<KeyboardEvent, 'isComposing' | 'keyCode'>): boolean {
  return isComposing || keyCode === 229
}
