import ClipboardPaste from 'lucide-react/icons/clipboard-paste'
import Plus from 'lucide-react/icons/plus'
import { useStore } from 'zustand'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { useHouse } from '../actions'
import { AnyFileButtons, MediaButton } from '../files/file-buttons'
import { usePasteAnywhere } from '../files/paste-anywhere'
import { ItemList } from '../item/item-list'
import { JoinButton } from '../join/join-button'
import { useHasItems, useSession } from '../session/beam'
import { Composer } from './composer'
import { LaptopPicture } from './laptop-picture'
import { newBeamLabel } from './new-beam-label'
import css from './phone-home.module.css'

/** The home of narrow screens: the phone joiner. */
export function PhoneHome() {
  return useSession() ? <Joined /> : <NotJoined />
}

function Joined() {
  const { actions } = useHouse()
  const hasItems = useHasItems()
  usePasteAnywhere(actions, 'home', true)
  return (
    <main className={css.joined}>
      <h1>Start Sharing</h1>
      <p className={css.subtitle}>Share Clipboards / Links / Pictures / Videos</p>
      <div className={css.big}>
        <Button look="primary" className={css.tall} onClick={() => void actions.paste('home')}>
          <Icon of={ClipboardPaste} size={26} />
          Paste
        </Button>
        <MediaButton look="tall" />
      </div>
      <div className={css.small}>
        <AnyFileButtons />
      </div>
      {hasItems && (
        <section aria-labelledby="in-this-beam">
          <h2 id="in-this-beam">In this beam</h2>
          <ItemList />
        </section>
      )}
      <Composer />
    </main>
  )
}

function NotJoined() {
  const { stores, actions } = useHouse()
  const status = useStore(stores.session, (state) => state.status)
  const site = useStore(stores.site, (state) => state.site)
  const host = site?.public_url ? new URL(site.public_url).host : window.location.host
  return (
    <main className={css.alone}>
      <LaptopPicture />
      <div className={css.words}>
        <h1>Open {host} on a PC or laptop to start beaming</h1>
        <p>Then scan its code with your camera, or enter its beam ID here.</p>
        {status === 'failed' && (
          <p className={css.failed} role="alert">
            The beam could not be made. Are you online?
          </p>
        )}
      </div>
      <div className={css.actions}>
        <JoinButton look="primary" size="lg" />
        <Button
          look="ghost"
          size="lg"
          icon={Plus}
          disabled={status === 'creating'}
          onClick={() => void actions.newBeam()}
        >
          {newBeamLabel(status)}
        </Button>
      </div>
    </main>
  )
}
