/** The worker knows nothing of the beam: it is another one than that which was told of it. */
export class NotEntered extends Error {
  constructor() {
    super('The page has not entered this beam.')
  }
}
