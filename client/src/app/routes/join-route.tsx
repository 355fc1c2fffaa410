import { useEffect } from 'react'
import { Navigate } from 'react-router'
import { useApp } from '../../features/actions'
import { paths } from '../../features/paths'

/** Opens the Join Beam dialog, and shows the home page below it. */
export function JoinRoute() {
  const { beamDialog } = useApp().stores
  useEffect(() => beamDialog.setState({ kind: 'join' }, true), [beamDialog])
  return <Navigate to={paths.home} replace />
}
