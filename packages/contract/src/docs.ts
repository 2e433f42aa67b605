// Which pages of docs/ stand on the website below /docs, in which order, and what each is for.

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
      { page: 'cli', title: 'The chauffeur command', says: 'Ship builds from a developer’s machine or CI.' },
      {
        page: 'builds',
        title: 'Builds and channels',
        says: 'Promote, roll back, delete, and what waits for approval.',
      },
      {
        page: 'games',
        title: 'Games and their people',
        says: 'Invite admins, transfer a game, delete it.',
      },
      { page: 'play', title: 'Games in the browser', says: 'What a web build may do, and how to export one.' },
      { page: 'shelves', title: 'Shelves', says: 'Which games stand on which shelf, and why.' },
    ],
  },
  {
    name: 'See what happens to them',
    pages: [
      { page: 'crashes', title: 'Crash reports', says: 'Every client, symbols and groups.' },
      { page: 'events', title: 'Events and launch health', says: 'What a game tells, and what comes out of it.' },
      { page: 'bugs', title: 'Bug tickets', says: 'What players file, and how it is read and marked.' },
      { page: 'engines', title: 'From each engine', says: 'Events and crashes, to copy and paste.' },
    ],
  },
  {
    name: 'Your account',
    pages: [{ page: 'accounts', title: 'Accounts', says: 'Sign-up, email, password, and deleting an account.' }],
  },
  {
    name: 'Let agents help',
    pages: [
      { page: 'mcp', title: 'Agents over MCP', says: 'Connect a program, and keep it in bounds.' },
      { page: 'mcp-tools', title: 'MCP tools', says: 'What a connected program can do.' },
    ],
  },
  {
    name: 'Look up',
    pages: [
      { page: 'api', title: 'API reference', says: 'Every operation over HTTP.' },
      { page: 'openapi', title: 'OpenAPI and generated clients', says: 'Generate a client for your language.' },
      { page: 'errors', title: 'Errors', says: 'Every code, and what to do about it.' },
    ],
  },
  {
    name: 'Run the service',
    pages: [
      { page: 'operate', title: 'Running the server', says: 'Storage, scanner, mail, proxies, clusters, backups.' },
      { page: 'config', title: 'Settings of the server', says: 'Every variable and its default.' },
    ],
  },
];

export const DOC_PAGES: readonly DocPage[] = DOC_GROUPS.flatMap(({ pages }) => pages);

export function findDoc(page: string): DocPage | undefined {
  return DOC_PAGES.find((known) => known.page === page);
}
