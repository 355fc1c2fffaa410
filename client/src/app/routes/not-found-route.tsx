import { t } from '@lingui/core/macro'
import { Link } from 'react-router'
import { paths } from '../../features/paths'
import { PageFooter } from '../../features/session/page-footer'
import { buttonClass } from '../../ui/button'
import { Mark } from '../../ui/mark'
import { DesktopShell } from '../shell/desktop-shell'
import { Loading } from '../shell/loading'
import { usePageTitle } from '../shell/page-title'
import { PhoneShell } from '../shell/phone-shell'
import { useViewportClass } from '../viewport'
import css from './not-found-route.module.css'

export function NotFoundRoute() {
  usePageTitle(t`Not found`)
  const viewport = useViewportClass()
  if (viewport === 'undetermined') return <Loading />
  if (viewport === 'mobile') {
    return (
      <PhoneShell toasts="page">
        <NotFound />
      </PhoneShell>
    )
  }
  return (
    <DesktopShell>
      <div className={css.page}>
        <NotFound />
        <PageFooter />
      </div>
    </DesktopShell>
  )
}

function NotFound() {
  return (
    <main className={css.words}>
      <Mark size={40} />
      <h1>{t`There is no page here`}</h1>
      <p>{t`The address may be mistyped. A beam has its own link or id.`}</p>
      <Link className={buttonClass({ look: 'primary' })} to={paths.home}>
        {t`Home`}
      </Link>
    </main>
  )
}
