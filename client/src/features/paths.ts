/** The paths of the client's pages. */
export const paths = {
  home: '/',
  space: '/space',
  beams: '/beams',
  login: '/login',
  register: '/register',
  profile: '/profile',
} as const
