import { useStore } from 'zustand'
import { type Security, securityOf } from '../../stores/security'
import { useApp } from '../actions'

/** What may be said of how well the content of the beam is kept from others. */
export function useSecurity(): Security {
  const { stores } = useApp()
  return securityOf({
    encryption: useStore(stores.encryption),
    trust: useStore(stores.trust),
    devices: useStore(stores.devices),
    clearCopies: useStore(stores.clearCopies),
  })
}
