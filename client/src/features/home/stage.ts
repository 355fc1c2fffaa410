/** What the desktop home is about at this moment. */
import { useDeviceCount, useHasItems } from '../session/beam'

/** Whether somebody waits here alone, with nothing shared: then the QR is what the page is about. */
export function useWaiting(): boolean {
  const alone = useDeviceCount() <= 1
  return !useHasItems() && alone
}

/** What the page is called once notes or devices have the middle of it. */
export function useHomeHeading(): string {
  return useDeviceCount() > 1 ? 'Start Sharing' : 'Scan the QR Code with your mobile phone to start sharing.'
}
