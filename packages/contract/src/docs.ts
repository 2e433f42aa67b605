// The pages of docs/ that the website shows under /docs, in this order.

export type DocPage = {
  /** The name of its file in docs/, without `.md`. `changelog` is CHANGELOG.md in the folder above. */
  readonly page: string;
  readonly title: string;
  /** A shorter title for the list of pages. */
  readonly label?: string;
  readonly description: string;
};

/** A part of a page that the search finds. */
export type DocSection = {
  readonly page: string;
  /** '' for the text before the first heading; the heading is '' too. */
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
};

export const DOC_GROUPS: readonly { readonly name: string; readonly pages: readonly DocPage[] }[] = [
  {
    name: 'Start',
    pages: [
      {
        page: 'start',
        title: 'Ship your first build',
        description: 'From an account to a game that players can download.',
      },
      { page: 'games', title: 'Games and members', description: 'Invite people, and transfer or delete a game.' },
      {
        page: 'organisations',
        title: 'Organisations and roles',
        description: 'Who owns games, and what each role may do.',
      },
      { page: 'accounts', title: 'Accounts', description: 'Sign-up, second factors, passkeys, email and password.' },
    ],
  },
  {
    name: 'Ship',
    pages: [
      { page: 'ci', title: 'Ship from CI', description: 'GitHub Actions, GitLab CI, Jenkins, TeamCity and others.' },
      {
        page: 'builds',
        title: 'Builds and channels',
        description: 'Promote, roll back and delete builds, and approve changes by agents.',
      },
      {
        page: 'rollouts',
        title: 'Staged rollouts',
        description: 'Offer a version to a share of devices, and let guards stop it if it is worse.',
      },
      {
        page: 'updates',
        title: 'Install games and keep them up to date',
        label: 'Updates',
        description: 'What players install with the command or your launcher, and how updates stay small and safe.',
      },
      {
        page: 'update-protocol',
        title: 'The update protocol',
        description: 'Write a client for an engine: requests, signatures, manifests, ranges and patches.',
      },
      {
        page: 'update-formats',
        title: 'The formats of updates',
        description: 'Zips in blocks, manifests and their differences, patch packs and bundles, byte by byte.',
      },
    ],
  },
  {
    name: 'Crashes',
    pages: [
      { page: 'crashes', title: 'Crash reports', description: 'How reports are grouped, and how to find the cause.' },
      {
        page: 'symbols',
        title: 'Create and upload symbols',
        label: 'Symbols',
        description: 'Keep debug information, and show functions and lines in crash reports.',
      },
    ],
  },
  {
    name: 'Events and health',
    pages: [
      {
        page: 'events',
        title: 'Events and launch health',
        description: 'Measure how each build starts and how players use it.',
      },
      {
        page: 'raw-events',
        title: 'Raw events as files',
        label: 'Raw events',
        description: 'Parquet files of all events, for DuckDB, ClickHouse, Trino and Spark.',
      },
    ],
  },
  {
    name: 'Your team',
    pages: [
      {
        page: 'first-week',
        title: 'Your first week of crashes',
        label: 'First week of crashes',
        description: 'From the first report to a fixed game, a day at a time.',
      },
      {
        page: 'crash-search',
        title: 'Search crashes',
        description: 'Find crash groups and reports with one query.',
      },
      {
        page: 'triage',
        title: 'Triage',
        description: 'Assign, resolve, snooze, merge and split crash groups, and link them to issues.',
      },
      {
        page: 'alerts',
        title: 'Alerts',
        description: 'Crashes, spikes, bugs and rejected uploads, by email, in a chat or by webhook.',
      },
      { page: 'audit', title: 'Audit log', description: 'Who changed what, from where, and what it was before.' },
    ],
  },
  {
    name: 'Your engine',
    pages: [
      {
        page: 'engines',
        title: 'Engine integrations',
        label: 'All engines',
        description: 'How clients send events and detect crashes.',
      },
      {
        page: 'sentry',
        title: "Use Sentry's SDKs",
        label: "Sentry's SDKs",
        description: 'Give an SDK the address of your game: DSNs, and the lines for each engine.',
      },
      {
        page: 'move-from-sentry',
        title: 'Move from Sentry',
        description: 'DSN, symbols, alerts and saved searches, and what has no counterpart.',
      },
      {
        page: 'unity',
        title: 'Crashes and events from Unity',
        label: 'Unity',
        description: 'Scripts to copy, and builds for the browser.',
      },
      {
        page: 'unreal',
        title: 'Crashes and events from Unreal Engine',
        label: 'Unreal Engine',
        description: 'A setting for crashes, and a subsystem to copy.',
      },
      {
        page: 'godot',
        title: 'Crashes and events from Godot',
        label: 'Godot',
        description: 'An add-on, exports for the browser, and settings of engines with a crash reporter.',
      },
      {
        page: 'electron',
        title: 'Crashes and events from Electron',
        label: 'Electron',
        description: 'Its own crash reporter, and one file for events.',
      },
      {
        page: 'cpp',
        title: 'Crashes and events from C and C++',
        label: 'C and C++',
        description: 'Crashpad, Breakpad, CEF, and a header for events.',
      },
      {
        page: 'javascript',
        title: 'Crashes and events from web games',
        label: 'Web games',
        description: 'One file for events, and errors as reports.',
      },
    ],
  },
  {
    name: 'Players',
    pages: [
      { page: 'play', title: 'Games in the browser', description: 'What a web build needs, and what it can do.' },
      {
        page: 'store-page',
        title: 'The page of your game',
        description: 'Its texts and facts, drafts, press kit, widget, followers and statistics.',
      },
      {
        page: 'shelves',
        title: 'Shelves and search',
        description: 'How games appear on the home page, in search and on developer pages.',
      },
      {
        page: 'source-code',
        title: 'Source code',
        description: 'Links from stacks to your source code, and the commits between two builds.',
      },
      { page: 'bugs', title: 'Bug tickets', description: 'Sort the bugs that players report, and reply to them.' },
    ],
  },
  {
    name: 'Operate',
    pages: [
      {
        page: 'operate',
        title: 'Running the server',
        description: 'An overview, and where the server keeps its data.',
      },
      { page: 'install', title: 'Install the server', description: 'On Linux and macOS, with the command it offers.' },
      {
        page: 'first-run',
        title: 'First run',
        description: 'Create the first account, and test address, email, scanner and storage.',
      },
      { page: 'service', title: 'Run it as a service', description: 'With systemd: start, stop and restart.' },
      { page: 'containers', title: 'Run it in containers', description: 'With Docker or on Kubernetes.' },
      { page: 'configure', title: 'Configure the server', description: 'Address, email, and admin commands.' },
      {
        page: 'single-sign-on',
        title: 'Single sign-on',
        description: 'Let people sign in with your OpenID Connect provider.',
      },
      { page: 'scanner', title: 'Virus scanner', description: 'Connect ClamAV.' },
      { page: 'storage', title: 'PostgreSQL and S3', description: 'Store data outside the server.' },
      { page: 'processes', title: 'Run several processes', description: 'Handle more load.' },
      {
        page: 'capacity',
        title: 'How much load a server takes',
        label: 'Capacity',
        description: 'How much one machine takes, how much disk it needs, and what to add.',
      },
      {
        page: 'reliability',
        title: 'Reliability',
        description: 'Every fault that was caused under load, and what was lost.',
      },
      {
        page: 'failover',
        title: 'Survive the loss of a database server',
        description: 'A synchronous standby takes over, and nothing is lost.',
      },
      {
        page: 'replicas',
        title: 'Read from database replicas',
        description: 'Lists and charts from a standby, never older than you allow.',
      },
      {
        page: 'citus',
        title: 'Distribute the tables with Citus',
        description: 'When one database server is not enough.',
      },
      { page: 'proxy', title: 'Behind a proxy', description: 'HTTPS, client addresses, and a domain for games.' },
      { page: 'cdn', title: 'Put downloads behind a CDN', description: 'Signed links, and nginx as a cache.' },
      { page: 'monitor', title: 'Monitor the server', description: 'Health, metrics, logs, and operator pages.' },
      { page: 'runbook', title: 'Runbook', description: 'What to do when an alert fires.' },
      { page: 'metrics', title: 'Metrics', description: 'Every metric, its labels and its meaning.' },
      { page: 'limits', title: 'Limit what games use', description: 'Storage quotas, and rate limits for requests.' },
      { page: 'backups', title: 'Back up and restore', description: 'While the server runs, with every file checked.' },
      {
        page: 'update',
        title: 'Update the server',
        description: 'Update without downtime, go back, and what version numbers promise.',
      },
    ],
  },
  {
    name: 'Agents',
    pages: [
      {
        page: 'api-tokens',
        title: 'API tokens',
        description: 'Call the API from scripts, with only the rights you choose.',
      },
      { page: 'mcp', title: 'Agents over MCP', description: 'Connect an agent, and limit what it can do.' },
      { page: 'mcp-tools', title: 'MCP tools', description: 'What a connected agent can do.' },
    ],
  },
  {
    name: 'Reference',
    pages: [
      { page: 'cli', title: 'The chauffeur command', description: 'Every command, flag and exit code.' },
      { page: 'config', title: 'Settings of the server', description: 'Every variable and its default.' },
      { page: 'api', title: 'API reference', description: 'Every HTTP operation.' },
      { page: 'openapi', title: 'OpenAPI and generated clients', description: 'Generate a client for your language.' },
      { page: 'errors', title: 'Errors', description: 'Every error code, and how to fix it.' },
      {
        page: 'release-notes',
        title: "What's new in 0.3.0",
        label: "What's new",
        description: 'The most important changes, and what to do when you update.',
      },
      { page: 'changelog', title: 'Changelog', description: 'What changed in each version.' },
    ],
  },
];

export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

export function findDoc(page: string): DocPage | undefined {
  return DOC_PAGES.find((candidate) => candidate.page === page);
}
