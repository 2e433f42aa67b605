// The pages of docs/ that the website shows below /docs, in this order.

type DocPage = {
  /** The name of its file in docs/, without `.md`. */
  readonly page: string;
  readonly title: string;
  readonly says: string;
};

export const DOC_GROUPS: readonly { readonly name: string; readonly pages: readonly DocPage[] }[] = [
  {
    name: 'Ship games',
    pages: [
      { page: 'cli', title: 'The chauffeur command', says: "Ship builds from a developer's machine or CI." },
      {
        page: 'builds',
        title: 'Builds and channels',
        says: 'Promote, roll back and delete builds, and approve changes by agents.',
      },
      { page: 'games', title: 'Games and members', says: 'Invite admins, and transfer or delete a game.' },
      { page: 'play', title: 'Games in the browser', says: 'What a web build needs, and what it can do.' },
      {
        page: 'shelves',
        title: 'Shelves and search',
        says: 'How games appear on the home page, in search and on developer pages.',
      },
    ],
  },
  {
    name: 'Monitor games',
    pages: [
      { page: 'crashes', title: 'Crash reports', says: 'Send reports and symbols, and find the cause.' },
      {
        page: 'events',
        title: 'Events and launch health',
        says: 'Measure how each build starts and how players use it.',
      },
      { page: 'bugs', title: 'Bug tickets', says: 'Read and close the bugs that players report.' },
      { page: 'engines', title: 'Engine integrations', says: 'Code to copy for each engine.' },
    ],
  },
  {
    name: 'Your account',
    pages: [{ page: 'accounts', title: 'Accounts', says: 'Sign-up, email, password, and deleting an account.' }],
  },
  {
    name: 'Agents',
    pages: [
      { page: 'mcp', title: 'Agents over MCP', says: 'Connect an agent, and limit what it can do.' },
      { page: 'mcp-tools', title: 'MCP tools', says: 'What a connected agent can do.' },
    ],
  },
  {
    name: 'Reference',
    pages: [
      { page: 'api', title: 'API reference', says: 'Every HTTP operation.' },
      { page: 'openapi', title: 'OpenAPI and generated clients', says: 'Generate a client for your language.' },
      { page: 'errors', title: 'Errors', says: 'Every error code, and how to fix it.' },
    ],
  },
  {
    name: 'Run the server',
    pages: [
      {
        page: 'operate',
        title: 'Running the server',
        says: 'Storage, scanner, mail, proxies, several processes and backups.',
      },
      { page: 'config', title: 'Settings of the server', says: 'Every variable and its default.' },
    ],
  },
];

export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

export function findDoc(page: string): DocPage | undefined {
  return DOC_PAGES.find((known) => known.page === page);
}
