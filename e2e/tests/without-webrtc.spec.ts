import { expect } from '@playwright/test'
import { MB } from '../support/files.ts'
import { test } from '../support/stage.ts'
import { WebKitDevice } from '../support/webkit.ts'

test('a browser without WebRTC sends and receives through the server', async ({ device, folder }) => {
  test.setTimeout(240_000)
  const ada = await device('Ada', { own: 'chromium' })
  const link = await ada.startsBeam()
  const eve = await WebKitDevice.start()
  try {
    await eve.opens(link)
    await ada.seesDevices(2)
    expect(await eve.hasWebRtc()).toBe(false)
    await ada.sharesText('hello, old browser')
    await eve.sees('hello, old browser')

    const mine = await folder.file('from-webkit.bin', 8 * MB + 5)
    await eve.sharesFiles(mine)
    await ada.takes(mine)
    expect(await ada.savedSha256(mine)).toBe(mine.sha256)

    const theirs = await folder.file('from-chromium.bin', 20 * MB + 7)
    await ada.sharesFiles(theirs)
    await eve.takes(theirs)
    await eve.seesPath(theirs, 'via server')
    expect(await eve.savedSha256(theirs)).toBe(theirs.sha256)
  } finally {
    await eve.leaves()
  }
})
