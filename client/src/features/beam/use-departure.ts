import { useLocation, useNavigate } from 'react-router'
import { isByLogin } from '../../stores/beam-access'
import type { BeamDialogState, Departure } from '../../stores/beam-dialog'
import { lossesOf } from '../../stores/losses'
import type { Stores } from '../../stores/stores'
import { useApp } from '../actions'
import { paths } from '../paths'

/** The pages that show the beam. */
const BEAM_PAGES: readonly string[] = [paths.home, paths.space]

/** Opens one of the dialogs about the beam, or closes it. */
export function useBeamDialog(): (dialog: BeamDialogState) => void {
  const { beamDialog } = useApp().stores
  return (dialog) => beamDialog.setState(dialog, true)
}

export interface Departures {
  /** Leaves the current beam for what a person wants, and asks first if something would be lost. */
  wish: (departure: Departure) => void
  /** Leaves it without a question. */
  depart: (departure: Departure) => void
  /** Shows a page with the beam on it. */
  showBeam: () => void
}

export function useDepartures(): Departures {
  const { stores, actions } = useApp()
  const open = useBeamDialog()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const showBeam = () => {
    if (!BEAM_PAGES.includes(pathname)) void navigate(paths.home)
  }
  const depart = (departure: Departure) => {
    switch (departure.do) {
      case 'join':
      case 'scan':
        return open({ kind: departure.do })
      case 'new':
        void actions.newBeam()
        break
      case 'enter':
        actions.enterRecent(departure.beam)
        break
      case 'leave':
        actions.leaveBeam()
        break
      case 'log-out':
        open({ kind: 'none' })
        // P6.
        void actions.account.logOut().then((ended) => ended && navigate(paths.login))
        return
    }
    open({ kind: 'none' })
    showBeam()
  }
  const wish = (departure: Departure) => {
    const losses = leavesBeam(departure, stores) ? lossesNow(stores) : []
    if (losses.length === 0) depart(departure)
    else open({ kind: 'leaving', departure, losses })
  }
  return { wish, depart, showBeam }
}

function leavesBeam(departure: Departure, { access }: Stores): boolean {
  return departure.do !== 'log-out' || isByLogin(access.getState())
}

function lossesNow(stores: Stores) {
  return lossesOf({
    items: stores.items.getState(),
    transfers: stores.transfers.getState(),
    connection: stores.connection.getState(),
    devices: stores.devices.getState(),
    access: stores.access.getState(),
    keeping: stores.keeping.getState(),
    encryption: stores.encryption.getState(),
    trust: stores.trust.getState(),
    clearCopies: stores.clearCopies.getState(),
    waitingEdits: stores.waitingEdits.getState(),
  })
}
