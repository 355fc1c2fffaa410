/** The product's name and the texts made of it: set in one place. */

export const PRODUCT = 'Heliograph'
export const SHARE_TITLE = `${PRODUCT} Beam`
export const SHARE_TEXT = `Join my Beam on ${PRODUCT}`
