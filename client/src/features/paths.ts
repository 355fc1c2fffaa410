/** Every address inside the product. */
export const paths = {
  home: '/',
  space: '/space',
  beams: '/beams',
  login: '/login',
  register: '/register',
  profile: '/profile',
} as const
