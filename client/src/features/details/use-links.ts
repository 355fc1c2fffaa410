/** Asks once a second what is known of the links to a device, for as long as somebody looks. */
import { useEffect, useState } from 'react'
import type { DeviceId } from '../../protocol/bindings'
import { type LinkRow, type LinksReport, linkRows } from '../../protocol/link-report'
import { useApp } from '../actions'

const INTERVAL_MS = 1_000

/** Returns the links to a device; null until the first answer. */
export function useLinks(device: DeviceId): readonly LinkRow[] | null {
  const { actions } = useApp()
  const [rows, setRows] = useState<readonly LinkRow[] | null>(null)
  useEffect(() => {
    let before: LinksReport | null = null
    let isOver = false
    let timer: ReturnType<typeof setTimeout>
    const look = async () => {
      const report = await actions.reportLinks(device)
      if (isOver) return
      setRows(linkRows(report, before))
      before = report
      timer = setTimeout(look, INTERVAL_MS)
    }
    void look()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [actions, device])
  return rows
}
