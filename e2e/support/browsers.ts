/** Launch options of Debian's browsers, so that two on one machine can connect directly. */
import type { LaunchOptions } from '@playwright/test'

/** Without a network, mDNS cannot resolve the candidates of another browser. */
const MDNS = 'WebRtcHideLocalIpsWithMdns'

const UNUSED = [
  // Each new window loads two pages for the suggestions under its address bar, which no test opens: a third of what a window
  // with a page costs.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // It keeps a process ready for the next site that the window goes to, and in a test there is none.
  'SpareRendererForSitePerProcess',
]

function chromiumWithout(...features: readonly string[]): LaunchOptions {
  return {
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      `--disable-features=${features.join(',')}`,
      '--allow-loopback-in-peer-connection',
    ],
  }
}

export const CHROMIUM = chromiumWithout(MDNS, ...UNUSED)

/** For figures of how soon a page is there: with all that the browser does for its windows. */
export const WHOLE_CHROMIUM = chromiumWithout(MDNS)

/** Driven over WebDriver BiDi, which the unmodified ESR supports. */
export const FIREFOX: LaunchOptions = {
  channel: 'moz-firefox',
  executablePath: '/usr/bin/firefox-esr',
  firefoxUserPrefs: {
    'media.peerconnection.ice.loopback': true,
    'media.peerconnection.ice.obfuscate_host_addresses': false,
  },
}

/** The two viewports of the design. */
export const DESKTOP = { width: 1440, height: 900 }
export const PHONE = { width: 390, height: 844 }
