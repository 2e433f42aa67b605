// The pages of docs/ that the website shows under /docs, in this order.

type DocPage = {
  /** The name of its file in docs/, without `.md`. */
  readonly page: string;
  readonly title: string;
  readonly description: string;
};

export const DOC_GROUPS: readonly { readonly name: string; readonly pages: readonly DocPage[] }[] = [
  {
    name: 'Ship games',
    pages: [
      { page: 'cli', title: 'The chauffeur command', description: "Ship builds from a developer's machine or CI." },
      {
        page: 'builds',
        title: 'Builds and channels',
        description: 'Promote, roll back and delete builds, and approve changes by agents.',
      },
      { page: 'games', title: 'Games and members', description: 'Invite admins, and transfer or delete a game.' },
      { page: 'play', title: 'Games in the browser', description: 'What a web build needs, and what it can do.' },
      {
        page: 'shelves',
        title: 'Shelves and search',
        description: 'How games appear on the home page, in search and on developer pages.',
      },
    ],
  },
  {
    name: 'Monitor games',
    pages: [
      { page: 'crashes', title: 'Crash reports', description: 'Send reports and symbols, and find the cause.' },
      {
        page: 'events',
        title: 'Events and launch health',
        description: 'Measure how each build starts and how players use it.',
      },
      { page: 'bugs', title: 'Bug tickets', description: 'Read and close the bugs that players report.' },
      { page: 'engines', title: 'Engine integrations', description: 'Code to copy for each engine.' },
    ],
  },
  {
    name: 'Your account',
    pages: [{ page: 'accounts', title: 'Accounts', description: 'Sign-up, email, password, and deleting an account.' }],
  },
  {
    name: 'Agents',
    pages: [
      { page: 'mcp', title: 'Agents over MCP', description: 'Connect an agent, and limit what it can do.' },
      { page: 'mcp-tools', title: 'MCP tools', description: 'What a connected agent can do.' },
    ],
  },
  {
    name: 'Reference',
    pages: [
      { page: 'api', title: 'API reference', description: 'Every HTTP operation.' },
      { page: 'openapi', title: 'OpenAPI and generated clients', description: 'Generate a client for your language.' },
      { page: 'errors', title: 'Errors', description: 'Every error code, and how to fix it.' },
    ],
  },
  {
    name: 'Run the server',
    pages: [
      {
        page: 'operate',
        title: 'Running the server',
        description: 'Storage, scanner, mail, proxies, several processes and backups.',
      },
      { page: 'config', title: 'Settings of the server', description: 'Every variable and its default.' },
    ],
  },
];

export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

export function findDoc(page: string): DocPage | undefined {
  return DOC_PAGES.find((candidate) => candidate.page === page);
}
