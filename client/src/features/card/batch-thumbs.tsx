import { t } from '@lingui/core/macro'
import { useState } from 'react'
import type { FileItem } from '../../stores/cards'
import { useApp } from '../actions'
import type { Ground } from '../transfer/file-row'
import css from './batch-thumbs.module.css'
import type { BatchFile } from './use-batch'

/** Pictures shown in the grid. The last place says how many more there are. */
const SHOWN = { note: 4, page: 6 } as const

/** The pictures of a batch that are here, as a grid of thumbnails. Each opens the full view. */
export function BatchThumbs({ files, on }: { files: readonly BatchFile[]; on: Ground }) {
  const { actions } = useApp()
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set())
  const pictures = files.filter(({ item, media }) => media === 'image' && !broken.has(item.id))
  const shown = pictures.slice(0, SHOWN[on])
  const more = pictures.length - shown.length
  if (shown.length === 0) return null
  return (
    <div className={css.thumbs} data-count={shown.length} data-on={on}>
      {shown.map(({ item, view }, at) => (
        <button
          key={item.id}
          type="button"
          className={css.thumb}
          aria-label={fullViewLabel(item.content)}
          onClick={() => actions.showFull(item.id, on === 'note' ? 'oldest-first' : 'newest-first')}
        >
          <img
            src={view.url ?? undefined}
            alt=""
            loading="lazy"
            decoding="async"
            draggable={false}
            onError={() => setBroken((old) => new Set([...old, item.id]))}
          />
          {more > 0 && at === shown.length - 1 && <span className={css.more}>+{more}</span>}
        </button>
      ))}
    </div>
  )
}

function fullViewLabel({ name }: FileItem['content']): string {
  return t`Full view of ${name}`
}
