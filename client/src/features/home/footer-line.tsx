import { useProduct } from '../session/beam'
import css from './footer-line.module.css'

/** What the product is, in the corners until notes take them. */
export function FooterLine({ corner }: { corner: boolean }) {
  const { name, version, repository } = useProduct()
  return (
    <footer className={css.footer}>
      {corner && (
        <span className={css.left}>
          {name} {version}
        </span>
      )}
      <span className={css.right}>
        <a href={repository} target="_blank" rel="noreferrer">
          Source code
        </a>
        <a href={repository && `${repository}/issues`} target="_blank" rel="noreferrer">
          Support
        </a>
        <span>
          © {new Date().getFullYear()} {name}
        </span>
      </span>
    </footer>
  )
}
