/** Every address inside the product. */
export const paths = {
  home: '/',
  space: '/space',
  beams: '/beams',
} as const
