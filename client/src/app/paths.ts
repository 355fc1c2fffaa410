/** Every address inside the product. */
export const paths = {
  home: '/',
  space: '/space',
} as const
