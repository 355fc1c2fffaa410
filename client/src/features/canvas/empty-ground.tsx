import css from './ground.module.css'

/** Looks as the canvas does without notes, and stands in for it until its code is here. */
export function EmptyGround() {
  return (
    <div className={css.ground}>
      <div className={css.back}>
        <div className={css.grid} />
      </div>
    </div>
  )
}
