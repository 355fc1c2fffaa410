import { Folder, MB } from '../support/files.ts'
import { onCable, sharing } from './lab.ts'
const [rt, loss, use, cut] = process.argv.slice(2)
await Folder.with(async (folder) => {
  const film = await folder.file('film.bin', Number(process.env.SIZE ?? 60) * MB)
  await onCable({ roundTrip: Number(rt), loss: Number(loss) }, async (lab0) => {
    const lab = cut ? { ...lab0, browser: async (m: any) => { const b = await lab0.browser(m); await b.page.addInitScript(() => { Reflect.deleteProperty(window, 'RTCPeerConnection') }); return b } } : lab0
    const { bob } = await sharing(lab, film)
    await bob.page.waitForTimeout(1500)
    await bob.takes(film)
    const began = performance.now()
    for (;;) {
      const text = (await bob.card(film.name).innerText()).replaceAll('\n', ' | ')
      console.log(Math.round(performance.now() - began), text)
      if (text.includes('Complete')) break
      await bob.page.waitForTimeout(700)
    }
  }, { HELIOGRAPH_RELAY: use ?? 'boost' })
})
