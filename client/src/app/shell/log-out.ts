import { useDepartures } from '../../features/beam/use-departure'

/** Ends the login and opens the login page (P6). Asks first if a beam is left by it and something would be lost. */
export function useLogOut(): () => void {
  const { wish } = useDepartures()
  return () => wish({ do: 'log-out' })
}
