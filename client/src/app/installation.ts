/** Holds the browser's offer to install the page as an app, until the person takes it up. */
import type { Actions } from '../features/actions'
import type { Stores } from '../stores/stores'

/** The event of Chromium, which TypeScript does not know (https://wicg.github.io/manifest-incubations). */
interface InstallOffer extends Event {
  prompt(): Promise<unknown>
}

/** Listens for the offer, and returns the action that takes it up. Call it once. */
export function createInstallation({ installation }: Stores): Pick<Actions, 'install'> {
  let offer: InstallOffer | null = null
  const hold = (held: InstallOffer | null) => {
    offer = held
    installation.setState({ isOffered: held !== null })
  }
  addEventListener('beforeinstallprompt', (event) => {
    // The page has a button of its own, so the browser need not show its bar.
    event.preventDefault()
    hold(event as InstallOffer)
  })
  addEventListener('appinstalled', () => hold(null))
  return {
    async install() {
      const held = offer
      // An offer can be taken up once; the browser makes another one later.
      hold(null)
      await held?.prompt()
    },
  }
}
