/** The paths of the client's pages. */
export const paths = {
  home: '/',
  space: '/space',
  /** Opens the Join Beam dialog on the home page. */
  join: '/join',
  beams: '/beams',
  login: '/login',
  register: '/register',
  profile: '/profile',
  doctor: '/doctor',
  certificate: '/certificate',
} as const
