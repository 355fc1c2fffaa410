import css from './loading.module.css'

/** Until it is known what to show. */
export function Loading() {
  return <p className={css.loading}>Loading ...</p>
}
