import { Mark } from '../../ui/mark'
import { useProduct } from './beam'
import css from './brand.module.css'

/** The mark and the name of the product. */
export function Brand() {
  const { name } = useProduct()
  return (
    <span className={css.brand}>
      <Mark />
      {name}
    </span>
  )
}
