import { Link } from 'react-router'
import { buttonClass } from '../../ui/button'
import { Mark } from '../../ui/mark'
import { paths } from '../paths'
import { usePageTitle } from '../shell/page-title'
import css from './not-found-route.module.css'

export function NotFoundRoute() {
  usePageTitle('Not found')
  return (
    <main className={css.page}>
      <Mark size={40} />
      <h1>There is no page here</h1>
      <p>The address may be mistyped. A beam has its own link or id.</p>
      <Link className={buttonClass({ look: 'primary' })} to={paths.home}>
        Home
      </Link>
    </main>
  )
}
