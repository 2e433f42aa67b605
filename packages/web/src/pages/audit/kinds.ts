// The names of those who make changes.
import type { ACTOR_KINDS } from '@chauffeur/contract/operations/audit';

export const KINDS: Readonly<Record<(typeof ACTOR_KINDS)[number], string>> = {
  user: 'People',
  agent: 'Agents',
  operator: 'Operators',
  deploy_key: 'Deploy keys',
  upload_token: 'Upload tokens',
  cli_login: 'The chauffeur command',
  server: 'The server command',
  anonymous: 'Not signed in',
};
