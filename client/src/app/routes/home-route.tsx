import { SkipLink } from '../../features/canvas/skip-link'
import { DesktopHome } from '../../features/home/desktop-home'
import { TitleBar } from '../../features/home/title-bar'
import { lazyPart } from '../../ui/lazy-part'
import { DesktopShell } from '../shell/desktop-shell'
import { Loading } from '../shell/loading'
import { usePageTitle } from '../shell/page-title'
import { useViewportClass } from '../viewport'

const PhoneHomePage = lazyPart(
  () => import('./phone-home-page'),
  (m) => m.PhoneHomePage,
)

export function HomeRoute() {
  usePageTitle(null)
  const viewport = useViewportClass()
  if (viewport === 'undetermined') return <Loading />
  if (viewport === 'mobile') return <PhoneHomePage />
  return (
    <>
      <SkipLink />
      <DesktopShell title={<TitleBar />}>
        <DesktopHome />
      </DesktopShell>
    </>
  )
}
