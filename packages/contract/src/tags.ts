// The groups that operations belong to, in the order of the OpenAPI document.

/** By the first part of an operation's id: what the operations of the group are for. */
export const TAGS = {
  builds: 'Register, list, inspect and delete builds.',
  uploads: 'Upload the zip of a build, whole or in chunks.',
  files: 'Follow the virus scans of uploaded files.',
  issueTracker: 'Set the issue tracker for issues about crashes of a game.',
  source: 'Set where the source code of a game can be read, and list commits.',
  deployInfo: 'Look up the addresses, limits and recent builds of a game.',
  cli: 'Get the chauffeur command.',
  cliLogins: 'Sign in with the chauffeur command, and see and revoke its logins.',
  media: 'Manage store images: the cover, the thumbnail and screenshots.',
  symbols: 'Upload, list, delete and read Breakpad symbols.',
  crashes: 'Report crashes, and search, read and resolve them.',
  impact: 'See how many players crashes hit, and what their systems have in common.',
  events: 'Send events, chart them, and read or delete those of one device.',
  health: 'See how well builds launch on the devices of players.',
  bugs: 'File, triage and answer bug tickets.',
  alerts: 'Choose who is notified of what happens to a game, and see what was sent.',
  overview: 'Summarize all games of a developer.',
  store: 'Browse public games, download builds and check where files came from.',
  play: 'Play web builds in the browser.',
  accounts: 'Manage your public profile.',
  games: 'Create games, change them and manage their members.',
  organisations: 'Manage organisations, which own games, and their members.',
  invitations: 'Invite people to games, transfer games, and answer invitations.',
  usage: 'See how much of its limits a game has used.',
  deployKeys: 'Issue deploy keys and upload tokens, and list and revoke them.',
  channels: 'Promote and roll back builds, and manage beta members.',
  approvals: 'Approve or deny changes that agents asked for.',
  credentials: 'See and revoke what works without a password.',
  audit: 'See who changed what.',
  agents: 'Manage the keys and connections of agents, and see what they called.',
  setup: 'Create the first account, and test the parts of the installation.',
  operator: 'Operate the service: its state, failed jobs, accounts, settings and quotas.',
} as const;

export type Tag = keyof typeof TAGS;
