/** How Debian's browsers are started, so that two on one machine find each other. */
import type { LaunchOptions } from '@playwright/test'

export const CHROMIUM: LaunchOptions = {
  executablePath: '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    // Without a network there is no mDNS to resolve another browser's candidates.
    '--disable-features=WebRtcHideLocalIpsWithMdns',
    '--allow-loopback-in-peer-connection',
  ],
}

/** Driven over WebDriver BiDi, which the plain ESR speaks. */
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
