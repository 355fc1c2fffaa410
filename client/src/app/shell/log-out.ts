import { useNavigate } from 'react-router'
import { useHouse } from '../../features/actions'
import { paths } from '../paths'

/** Ends the login and leads to the login page (P6). */
export function useLogOut(): () => void {
  const { actions } = useHouse()
  const navigate = useNavigate()
  return () => {
    void actions.account.logOut().then((ended) => ended && navigate(paths.login))
  }
}
