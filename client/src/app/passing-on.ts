/** Lets this device pass on what it receives (F21), while its person wants that and it has power and data to spare. */
import { canPassOn } from '../protocol/power'
import { browserStorage } from '../stores/site-storage'
import type { Stores } from '../stores/stores'
import type { Transfers } from '../transport/transfers'

const KEY = 'passing-on'
const OFF = 'off'

type Used = Pick<Stores, 'passingOn' | 'power'>

/** Call it once. */
export function keepPassingOn({ passingOn, power }: Used, transfers: Pick<Transfers, 'tell'>): void {
  passingOn.setState({ isWanted: browserStorage.getItem(KEY) !== OFF }, true)
  const look = () => {
    const isAllowed = passingOn.getState().isWanted && canPassOn(power.getState())
    transfers.tell({ do: 'passOn', isAllowed })
  }
  look()
  passingOn.subscribe(look)
  power.subscribe(look)
}

/** Does what the person wants, from now on. */
export function createPassingOn({ passingOn }: Pick<Stores, 'passingOn'>) {
  return (isWanted: boolean): void => {
    passingOn.setState({ isWanted }, true)
    if (isWanted) browserStorage.removeItem(KEY)
    else browserStorage.setItem(KEY, OFF)
  }
}
