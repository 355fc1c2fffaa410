import { i18n } from '@lingui/core'
import { t } from '@lingui/core/macro'
import { useStore } from 'zustand'
import { nameOf } from '../../languages/languages'
import { cx } from '../../ui/cx'
import { Mark } from '../../ui/mark'
import { useApp } from '../actions'
import { TAGLINE, useProduct } from './beam'
import css from './page-footer.module.css'

/**
 * The product and its source: below a page, or in the lower corners of the canvas until there are notes. `beside-code`:
 * the small QR code takes the left corner.
 */
export function PageFooter({ place = 'page' }: { place?: 'page' | 'corners' | 'beside-code' }) {
  const { stores, actions } = useApp()
  const { name, version, repository } = useProduct()
  const { language } = useStore(stores.language)
  const isInstallable = useStore(stores.installation, (state) => state.isOffered)
  return (
    <footer
      className={cx(
        css.footer,
        place === 'page' ? css.page : css.corners,
        place === 'beside-code' && css.beside,
      )}
    >
      <span className={css.tagline}>
        <Mark size={18} />
        {i18n._(TAGLINE)}
      </span>
      <span className={css.facts}>
        {isInstallable && (
          <button type="button" onClick={() => void actions.install()}>
            {t`Install app`}
          </button>
        )}
        <a href={repository} target="_blank" rel="noreferrer">
          {t`Source code`}
        </a>
        <a href={repository && `${repository}/issues`} target="_blank" rel="noreferrer">
          {t`Support`}
        </a>
        <button
          type="button"
          title={t`Language`}
          onClick={() => stores.beamDialog.setState({ kind: 'language' }, true)}
        >
          {nameOf(language)}
        </button>
        <span>{t`Version ${version}`}</span>
        <span>© {new Date().getFullYear()}</span>
        <span>{t`Made with love by ${name}`}</span>
      </span>
    </footer>
  )
}
