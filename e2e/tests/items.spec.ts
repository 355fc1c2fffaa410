import { expect } from '@playwright/test'
import { expectNothingSerious } from '../support/axe.ts'
import type { Device } from '../support/device.ts'
import { png } from '../support/png.ts'
import { test } from '../support/stage.ts'

const everywhere = { tag: '@everywhere' }

/** Two devices in a beam; the second may be a phone. */
async function pair(
  device: (name: string, options?: { phone?: boolean }) => Promise<Device>,
  phone = false,
): Promise<[Device, Device]> {
  const ada = await device('Ada')
  const bob = await device('Bob', { phone })
  await bob.opens(await ada.startsBeam())
  await ada.seesDevices(2)
  return [ada, bob]
}

async function shares(device: Device, name: string, mimeType: string, buffer: Buffer): Promise<void> {
  await device.picker().setInputFiles({ name, mimeType, buffer })
}

/** Returns a recording of silence: a RIFF file of 8-bit samples. */
function wav(seconds: number): Buffer {
  const rate = 8000
  const samples = Buffer.alloc(rate * seconds, 128)
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** Returns one second of a moving square, recorded by the browser. */
async function mp4({ page }: Device): Promise<Buffer> {
  const base64 = await page.evaluate(async () => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 })
    const context = canvas.getContext('2d')
    const recorder = new MediaRecorder(canvas.captureStream(25), { mimeType: 'video/mp4;codecs=vp9' })
    const parts: Blob[] = []
    recorder.ondataavailable = ({ data }) => parts.push(data)
    const ended = new Promise((resolve) => {
      recorder.onstop = resolve
    })
    recorder.start()
    for (let frame = 0; frame < 60; frame += 1) {
      context?.fillRect(frame, frame % 40, 10, 10)
      await new Promise(requestAnimationFrame)
    }
    recorder.stop()
    await ended
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    return btoa(String.fromCharCode(...bytes))
  })
  return Buffer.from(base64, 'base64')
}

for (const phone of [false, true]) {
  test(
    `addresses in a text are links, on a ${phone ? 'phone' : 'desktop'}`,
    everywhere,
    async ({ device }) => {
      const [ada, bob] = await pair(device, phone)
      await ada.sharesText('See https://example.org/a?b=c. Or javascript:alert(1), or mailto:ada@example.org')
      await bob.sees('See https://example.org')
      const links = bob.card('See').getByRole('link')
      await expect(links).toHaveCount(2)
      await expect(links.first()).toHaveAttribute('href', 'https://example.org/a?b=c')
      await expect(links.first()).toHaveAttribute('rel', 'noreferrer')
      await expect(links.first()).toHaveAttribute('target', '_blank')
      await expect(links.last()).toHaveAttribute('href', 'mailto:ada@example.org')
    },
  )
}

test('code is kept as it was typed', async ({ device }) => {
  const [ada, bob] = await pair(device)
  const code = 'for f in *.jpg; do\n  cwebp "$f"\n\n    done'
  await ada.sharesText(`Try this:\n\`\`\`sh\n${code}\n\`\`\``)
  await bob.sees('Try this')
  expect(await bob.card('Try this').locator('pre').textContent()).toBe(code)
})

test('a long text is folded, and opens', everywhere, async ({ device }) => {
  const [ada, bob] = await pair(device)
  await ada.sharesText(Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n'))
  await bob.sees('line 39')
  const card = bob.card('line 39')
  const folded = (await card.boundingBox())?.height ?? 0
  await card.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(async () => (await card.boundingBox())?.height).toBeGreaterThan(folded + 300)
})

for (const phone of [false, true]) {
  test(
    `a picture is seen whole on a ${phone ? 'phone' : 'desktop'}; Esc, Close and Back end that`,
    everywhere,
    async ({ device }) => {
      const [ada, bob] = await pair(device, phone)
      await shares(ada, 'view.png', 'image/png', png(640, 400))
      await expect(bob.page.getByRole('img', { name: 'view.png' })).toBeVisible()
      if (!phone) await bob.card('view.png').hover()
      const open = bob.card('view.png').getByRole('button', { name: /^Full view/ })
      await open.click()
      const dialog = bob.page.getByRole('dialog', { name: 'view.png' })
      await expect(dialog.getByRole('img', { name: 'view.png' })).toBeVisible()
      await expectNothingSerious(bob)
      await bob.page.keyboard.press('Escape')
      await expect(dialog).toHaveCount(0)
      if (!phone) await bob.card('view.png').hover()
      await open.click()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await expect(dialog).toHaveCount(0)
      await bob.seesNoDialog()

      if (!phone) await bob.card('view.png').hover()
      await open.click()
      await expect(dialog).toBeVisible()
      const address = bob.page.url()
      await bob.closesByBack()
      await expect(dialog).toHaveCount(0)
      expect(bob.page.url()).toBe(address)
      await expect(bob.card('view.png')).toBeVisible()
    },
  )
}

test('a picture is copied as a picture', async ({ device }) => {
  const [ada, bob] = await pair(device)
  await shares(ada, 'view.png', 'image/png', png(64, 48))
  await expect(bob.page.getByRole('img', { name: 'view.png' })).toBeVisible()
  await bob.page.bringToFront()
  await bob.card('view.png').hover()
  await bob.card('view.png').getByRole('button', { name: 'Copy' }).click()
  await bob.seesToast('Picture copied successfully!')
  const size = await bob.page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    const bitmap = await createImageBitmap((await item?.getType('image/png')) as Blob)
    return [bitmap.width, bitmap.height]
  })
  expect(size).toEqual([64, 48])
})

for (const [what, content] of [
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"><script>document.title="owned"</script></svg>'],
  ['a page', '<!doctype html><script>document.title="owned"</script>'],
] as const) {
  test(`${what} declared as a picture stays a file of bytes`, everywhere, async ({ device }) => {
    const [ada, bob] = await pair(device)
    await shares(ada, 'view.png', 'image/png', Buffer.from(content))
    const link = bob.card('view.png').getByRole('link', { name: 'Save' })
    await expect(link).toBeVisible()
    await expect(bob.card('view.png').getByRole('img')).toHaveCount(0)
    const type = await link.evaluate(async (a) =>
      (await fetch((a as HTMLAnchorElement).href)).headers.get('content-type'),
    )
    expect(type).toBe('application/octet-stream')
    expect(await bob.page.title()).not.toBe('owned')
  })
}

test('a picture with another declared type is shown as a picture', async ({ device }) => {
  const [ada, bob] = await pair(device)
  await shares(ada, 'view.mp4', 'video/mp4', png(64, 48))
  await expect(bob.page.getByRole('img', { name: 'view.mp4' })).toBeVisible()
  await expect(bob.card('view.mp4').locator('video')).toHaveCount(0)
})

test('a video plays muted in a loop until it is unmuted', async ({ device }) => {
  const [ada, bob] = await pair(device)
  await shares(ada, 'clip.mp4', 'video/mp4', await mp4(ada))
  const video = bob.card('clip.mp4').locator('video')
  await expect(video).toHaveJSProperty('loop', true)
  await expect(video).toHaveJSProperty('muted', true)
  await expect.poll(() => video.evaluate((node: HTMLVideoElement) => node.currentTime)).toBeGreaterThan(0)
  await expect(video).toHaveJSProperty('paused', false)
  const sound = bob.card('clip.mp4').getByRole('button', { name: 'Sound' })
  await expect(sound).toHaveAttribute('aria-pressed', 'false')
  await sound.click()
  await expect(sound).toHaveAttribute('aria-pressed', 'true')
  await expect(video).toHaveJSProperty('muted', false)
})

test('a recording plays, shows how far it is, and starts again after its end', async ({ device }) => {
  test.setTimeout(120_000)
  const [ada, bob] = await pair(device)
  await shares(ada, 'memo.wav', 'audio/wav', wav(10))
  const player = bob.page.getByRole('group', { name: 'memo.wav' })
  await expect(player.getByText('0:10')).toBeVisible()
  await player.getByRole('button', { name: 'Play' }).click()
  await expect(player.getByRole('button', { name: 'Pause' })).toBeVisible()
  const position = player.getByRole('slider')
  await expect.poll(async () => Number(await position.inputValue())).toBeGreaterThan(0)
  await expect(player.getByRole('button', { name: 'Play' })).toBeVisible({ timeout: 40_000 })
  await expect(position).toHaveValue('0')

  // The name and the bar around it, which are not controls.
  await player.getByText('0:10').dblclick()
  await expect(player.getByRole('button', { name: 'Pause' })).toBeVisible()
})
