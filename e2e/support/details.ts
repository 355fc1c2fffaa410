/** What the details of a card tell about its transfer. */
import type { Device } from './device.ts'
import { KB, MB, type TestFile } from './files.ts'

/** Returns the bytes that were sent more than once, as the page counts and rounds them. */
export async function bytesSentTwice(device: Device, file: TestFile): Promise<number> {
  await device.uses(device.card(file.name), 'Details')
  const details = device.page.getByRole('dialog', { name: 'Details' })
  const row = details.locator('div').filter({ has: device.page.getByRole('term').getByText('Sent twice') })
  const told = (await row.last().getByRole('definition').textContent()) ?? ''
  await device.page.keyboard.press('Escape')
  const [, number, unit] = /^([\d.,]+)\s*(B|kB|MB)$/.exec(told) ?? []
  if (number === undefined) throw new Error(`“${told}” is no number of bytes`)
  return Number(number.replaceAll(',', '')) * ({ B: 1, kB: KB, MB }[unit ?? ''] ?? 1)
}
