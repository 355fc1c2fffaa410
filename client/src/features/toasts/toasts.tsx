import { useStore } from 'zustand'
import { ToastList } from '../../ui/toast-list'
import { useApp } from '../actions'

/** The toasts of the page, above the bar at its bottom. */
export function Toasts({ place }: { place: 'toolbar' | 'composer' | 'floating' | 'page' }) {
  const { stores, actions } = useApp()
  const toasts = useStore(stores.toasts, (state) => state.toasts)
  return <ToastList toasts={toasts} place={place} onDismiss={actions.dismissToast} />
}
