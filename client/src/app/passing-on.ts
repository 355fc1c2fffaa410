/**
 * Lets this device pass on what it receives (F21), while its person wants that, it has power and data to spare, and it may
 * do more than read in the beam (S24).
 */
import { canPassOn } from '../protocol/power'
import { mayShare } from '../stores/beam-access'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Transfers } from '../transport/transfers'

const KEY = 'passing-on'
const OFF = 'off'

type Used = Pick<Stores, 'passingOn' | 'power' | 'access'>

/** Call it once. */
export function keepPassingOn({ passingOn, power, access }: Used, transfers: Pick<Transfers, 'tell'>): void {
  passingOn.setState({ isWanted: browserStorage.getItem(KEY) !== OFF }, true)
  const look = () => {
    const isAble = canPassOn(power.getState()) && mayShare(access.getState())
    const isAllowed = passingOn.getState().isWanted && isAble
    transfers.tell({ do: 'passOn', isAllowed })
  }
  look()
  passingOn.subscribe(look)
  power.subscribe(look)
  access.subscribe(look)
}

/** Does what the person wants, from now on. */
export function createPassingOn({ passingOn }: Pick<Stores, 'passingOn'>) {
  return (isWanted: boolean): void => {
    passingOn.setState({ isWanted }, true)
    if (isWanted) browserStorage.removeItem(KEY)
    else browserStorage.setItem(KEY, OFF)
  }
}
