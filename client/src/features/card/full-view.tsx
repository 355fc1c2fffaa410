import Copy from 'lucide-react/icons/copy'
import type { Item } from '../../protocol/item'
import { Dialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { OverPage } from '../../ui/over-page'
import { useApp } from '../actions'
import { DownloadLink } from '../transfer/download-link'
import css from './full-view.module.css'
import { useMedia } from './use-media'

/** Shows a picture or a video as large as the window allows. */
export function FullView({ item, url, onClose }: { item: Item; url: string; onClose: () => void }) {
  const { actions } = useApp()
  const [media] = useMedia(item, url)
  if (item.content.kind !== 'file' || media === null) return null
  const { name } = item.content
  return (
    <OverPage>
      <Dialog title={name} width="window" cross onClose={onClose}>
        <div className={css.stage}>
          {media === 'image' ? (
            <img className={css.shown} src={url} alt={name} />
          ) : (
            // biome-ignore lint/a11y/useMediaCaption: a video that somebody shares comes without captions
            <video className={css.shown} src={url} aria-label={name} controls autoPlay loop playsInline />
          )}
        </div>
        <div className={css.tools}>
          {media === 'image' && (
            <IconButton icon={Copy} label="Copy" onClick={() => void actions.copyItem(item.id)} />
          )}
          <DownloadLink url={url} name={name} look="bar" iconSize={18} />
        </div>
      </Dialog>
    </OverPage>
  )
}
