// What the documentation says instead of words that people search for, such as those of other tools.

const SECOND_FACTOR = [['two-step'], ['second', 'factor']];
const SINGLE_SIGN_ON = [['single', 'sign-on']];
const SIGN_IN = [['sign', 'in']];
const SIGN_UP = [['sign', 'up']];
const RESUME = [['resume']];
const UPDATE = [['update']];

const GROUPS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '2fa': SECOND_FACTOR,
  antivirus: [['virus']],
  attestation: [['provenance']],
  backup: [['back', 'up']],
  ban: [['disable']],
  changelog: [['what', 'changed']],
  chunk: RESUME,
  chunked: RESUME,
  chunks: RESUME,
  color: [['colour']],
  docker: [['container']],
  gdpr: [['privacy']],
  k8s: [['kubernetes']],
  login: SIGN_IN,
  logout: [['sign', 'out']],
  malware: [['virus']],
  mfa: SECOND_FACTOR,
  migration: UPDATE,
  organization: [['organisation']],
  organizations: [['organisations']],
  register: SIGN_UP,
  replication: [['standby']],
  resumable: RESUME,
  rollback: [['roll', 'back']],
  rss: [['feed']],
  saml: SINGLE_SIGN_ON,
  scaling: [['processes'], ['capacity']],
  signin: SIGN_IN,
  signup: SIGN_UP,
  slsa: [['provenance']],
  sso: SINGLE_SIGN_ON,
  stacktrace: [['stack']],
  team: [['members']],
  throttle: [['limit']],
  throttling: [['limit']],
  totp: SECOND_FACTOR,
  translate: [['languages']],
  translation: [['languages']],
  upgrade: UPDATE,
  upgrades: UPDATE,
  upgrading: UPDATE,
};

/** By the word, lower case and without accents: any of these groups of words is searched for as well. */
export const SYNONYMS: ReadonlyMap<string, readonly (readonly string[])[]> = new Map(Object.entries(GROUPS));
