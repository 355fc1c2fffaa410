import { useState } from 'react'
import type { Ground } from '../transfer/file-row'
import css from './batch-thumbs.module.css'
import { LazyFullView } from './lazy-full-view'
import type { BatchFile } from './use-batch'

/** Pictures shown in the grid. The last place says how many more there are. */
const SHOWN = { note: 4, page: 6 } as const

/** The pictures of a batch that are here, as a grid of thumbnails. Each opens the full view. */
export function BatchThumbs({ files, on }: { files: readonly BatchFile[]; on: Ground }) {
  const [full, setFull] = useState<BatchFile | null>(null)
  const [broken, setBroken] = useState<ReadonlySet<string>>(new Set())
  const pictures = files.filter(({ item, media }) => media === 'image' && !broken.has(item.id))
  const shown = pictures.slice(0, SHOWN[on])
  const more = pictures.length - shown.length
  if (shown.length === 0) return null
  return (
    <div className={css.thumbs} data-count={shown.length} data-on={on}>
      {shown.map((file, at) => (
        <button
          key={file.item.id}
          type="button"
          className={css.thumb}
          aria-label={`Full view of ${file.item.content.name}`}
          onClick={() => setFull(file)}
        >
          <img
            src={file.view.url ?? undefined}
            alt=""
            loading="lazy"
            decoding="async"
            draggable={false}
            onError={() => setBroken((old) => new Set([...old, file.item.id]))}
          />
          {more > 0 && at === shown.length - 1 && <span className={css.more}>+{more}</span>}
        </button>
      ))}
      {full?.view.url && <LazyFullView item={full.item} url={full.view.url} onClose={() => setFull(null)} />}
    </div>
  )
}
