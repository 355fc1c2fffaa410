import { useNavigate } from 'react-router'
import { useApp } from '../../features/actions'
import { paths } from '../../features/paths'

/** Ends the login and opens the login page (P6). */
export function useLogOut(): () => void {
  const { actions } = useApp()
  const navigate = useNavigate()
  return () => {
    void actions.account.logOut().then((ended) => ended && navigate(paths.login))
  }
}
