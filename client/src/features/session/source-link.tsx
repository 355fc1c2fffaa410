import { t } from '@lingui/core/macro'
import { ButtonLink } from '../../ui/button'
import { SourceGlyph } from '../../ui/icon'
import { useProduct } from './beam'

/** A link to the source repository. */
export function SourceLink({ look = 'plain' }: { look?: 'plain' | 'ghost' }) {
  const { repository } = useProduct()
  return (
    <ButtonLink look={look} icon={SourceGlyph} href={repository} target="_blank" rel="noreferrer">
      {t`Source code`}
    </ButtonLink>
  )
}
