import { useMemo } from 'react'
import { useStore } from 'zustand'
import type { FileItem } from '../../stores/cards'
import { statesOf } from '../../stores/transfers'
import { useApp } from '../actions'
import { isUnderWay } from '../transfer/batch-row'

/** Returns the files of this beam that come or go, or wait to do so. */
export function useUnderWay(): readonly FileItem[] {
  const { stores } = useApp()
  const items = useStore(stores.items, (state) => state.items)
  const transfers = useStore(stores.transfers, (state) => state.transfers)
  return useMemo(
    () =>
      items.filter((item): item is FileItem => {
        const transfer = item.content.kind === 'file' ? transfers[item.id] : undefined
        return transfer !== undefined && statesOf(transfer).some(({ status }) => isUnderWay(status))
      }),
    [items, transfers],
  )
}
