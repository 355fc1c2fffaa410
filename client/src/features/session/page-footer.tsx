import { Mark } from '../../ui/mark'
import { TAGLINE, useProduct } from './beam'
import css from './page-footer.module.css'

/** What the product is, under a page of wide screens. */
export function PageFooter() {
  const { name, version, repository } = useProduct()
  return (
    <footer className={css.footer}>
      <span className={css.tagline}>
        <Mark size={18} />
        {TAGLINE}
      </span>
      <a href={repository} target="_blank" rel="noreferrer">
        Source code
      </a>
      <a href={repository && `${repository}/issues`} target="_blank" rel="noreferrer">
        Support
      </a>
      <span>Version {version}</span>
      <span>© {new Date().getFullYear()}</span>
      <span>Made with love by {name}</span>
    </footer>
  )
}
