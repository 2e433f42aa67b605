// Games that use Sentry's SDKs, as real programs, and what a studio sees of what they sent.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { OutputOf } from '@chauffeur/contract/operation';
import type { getBugTicket, listBugTickets } from '@chauffeur/contract/operations/bugs';
import type { getCrash, listCrashes } from '@chauffeur/contract/operations/crash-reports';
import type { createDsn, getSentryActivity } from '@chauffeur/contract/operations/dsns';
import type { getBuildHealth } from '@chauffeur/contract/operations/health';
import { type Ask, askAs } from '../../packages/server/test/setup/api-calls.ts';
import type { KeyHolder } from '../../packages/server/test/setup/server.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { register } from '../../packages/server/test/setup/uploads.ts';
import { type Environment, makeFolder, type Service } from './processes.ts';
import { keyOf, type Session } from './studio.ts';

/** Where `e2e/sentry/install` puts them. */
const INSTALLED = process.env.CHAUFFEUR_TEST_SENTRY ?? join(import.meta.dirname, '../sentry/.installed');

/** The path of a file of a client. */
export const clientFile = (client: string, path: string) => join(INSTALLED, client, path);

/** How each program is started. */
const CLIENTS = {
  javascript: [process.execPath, clientFile('javascript', 'game.js')],
  python: [clientFile('python', 'environment/bin/python'), clientFile('python', 'game.py')],
  go: [clientFile('go', 'game')],
  java: [
    'java',
    '-cp',
    `${clientFile('java', 'classes')}:${clientFile('java', 'libraries/*')}`,
    'com.example.owls.Game',
  ],
  rust: [clientFile('rust', 'game')],
} as const;

export type Client = keyof typeof CLIENTS;

export const CLIENT_NAMES = Object.keys(CLIENTS) as readonly Client[];

/** Why the tests of a client are skipped; false if it is installed. With CI=true, throws if it isn't. */
export function missingClient(client: Client): string | false {
  if (existsSync(clientFile(client, 'ready'))) return false;
  const message = `the ${client} client of Sentry is not installed; run e2e/sentry/install`;
  if (process.env.CI === 'true') throw new Error(message);
  return `skipped: ${message}`;
}

export const RELEASE = 'thegame@1.2.0';

export type Report = OutputOf<typeof getCrash>;

type Played = { readonly code: number | null; readonly output: string };

export type ReportingGame = KeyHolder & {
  readonly uid: string;
  readonly slug: string;
  /** The build of the release. */
  readonly buildId: string;
  readonly dsn: string;
  /** The environment variables of the `chauffeur` command. */
  readonly environment: Environment;
  readonly ask: Ask;
  /** Runs a scenario of a client until its process has ended. */
  play(client: Client, scenario: string, options?: { origin?: string; release?: string }): Promise<Played>;
  /** Waits until all reports of the game are processed, oldest first. */
  reports(): Promise<Report[]>;
  /** The bug tickets of the game, each with its files. */
  tickets(): Promise<OutputOf<typeof getBugTicket>[]>;
  /** The sessions of the build, and how many of them crashed. */
  sessions(): Promise<readonly [all: number, crashed: number]>;
  /** How many messages of each level were counted. */
  messages(): Promise<Record<string, number>>;
  /** The bytes of each attachment of a report, by its name. */
  attachments(report: Report): Promise<Record<string, string>>;
};

/** Creates a game with a build and a DSN. */
export async function openReportingGame(service: Service, session: Session): Promise<ReportingGame> {
  const ask = askAs(service, session);
  const created = await ask<Record<string, string>>('POST', '/games', { name: 'Owls', visibility: 'public' });
  const uid = created.game_uid!;
  const key = keyOf(service, await ask('POST', `/games/${uid}/deploy-keys`));
  const buildId = await register(service, key, { version: '1.2.0', os: 'linux' });
  const { dsn: publicDsn } = await ask<OutputOf<typeof createDsn>>('POST', `/games/${uid}/dsns`, { name: 'tests' });
  const dsn = atOrigin(publicDsn, service.url);

  const play: ReportingGame['play'] = (client, scenario, { origin = service.url, release = RELEASE } = {}) =>
    playGame(client, scenario, { SENTRY_DSN: atOrigin(publicDsn, origin), SENTRY_RELEASE: release });
  const reports = async () => {
    const list = async () => (await ask<OutputOf<typeof listCrashes>>('GET', `/games/${uid}/crashes?limit=50`)).crashes;
    const done = await until(async () => {
      const listed = await list();
      return listed.every(({ state }) => state === 'processed' || state === 'failed') ? listed : null;
    });
    const records = done.map(({ crash_id: id }) => ask<Report>('GET', `/games/${uid}/crashes/${id}`));
    return (await Promise.all(records)).toReversed();
  };
  const tickets: ReportingGame['tickets'] = async () => {
    const { bugs } = await ask<OutputOf<typeof listBugTickets>>('GET', `/games/${uid}/bugs`);
    const details = bugs.map(({ bug_uid: bug }) =>
      ask<OutputOf<typeof getBugTicket>>('GET', `/games/${uid}/bugs/${bug}`),
    );
    return Promise.all(details);
  };
  const sessions: ReportingGame['sessions'] = async () => {
    const path = `/games/${uid}/builds/${buildId}/health`;
    const { crash_free: rates } = await ask<OutputOf<typeof getBuildHealth>>('GET', path);
    return [rates.sessions, rates.crashes];
  };
  const messages = async () => {
    const { counts } = await ask<OutputOf<typeof getSentryActivity>>('GET', `/games/${uid}/sentry-activity`);
    return Object.fromEntries(counts.filter(({ what }) => what === 'message').map(({ type, count }) => [type, count]));
  };
  const attachments = async (report: Report) => {
    const entries = report.attachments.map(async ({ attachment, name }) => {
      const path = `/games/${uid}/crashes/${report.crash_id}/downloads`;
      const { url } = await ask<{ url: string }>('POST', path, { kind: 'attachment', attachment });
      return [name, await (await fetch(url)).text()] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  return {
    uid,
    slug: created.slug!,
    buildId,
    dsn,
    ask,
    ...key,
    play,
    reports,
    tickets,
    sessions,
    messages,
    attachments,
  };
}

/** A DSN with the address of another server. */
function atOrigin(dsn: string, origin: string): string {
  const [, key, project] = /\/\/([^@]+)@.*(\/\d+)$/.exec(dsn)!;
  return `${origin.replace('//', `//${key}@`)}${project}`;
}

/** The program has only these variables, so that nothing of the machine changes what it sends. */
async function playGame(client: Client, scenario: string, env: Record<string, string>): Promise<Played> {
  const [program, ...args] = CLIENTS[client];
  // Programs leave files such as dumps in their current folder.
  const folder = await makeFolder();
  try {
    const child = spawn(program, [...args, scenario], {
      cwd: folder.path,
      env: { PATH: process.env.PATH, HOME: folder.path, TMPDIR: folder.path, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Also the end of processes that it started, such as the process that sends a dump.
    const ended = new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
    const [code, out, err] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    return { code, output: out + err };
  } finally {
    await folder.remove();
  }
}

/** What tests compare of a report. */
export function summaryOf({ kind, title, build_id: buildId, message, metadata, event }: Report) {
  const { exceptions = [], breadcrumbs } = event ?? {};
  return {
    kind,
    title,
    buildId,
    message,
    /** What was thrown, then its causes. */
    thrown: exceptions.map(({ type, message: text }) => `${type}: ${text}`),
    /** The game's own functions on the stack of what was thrown, innermost first. */
    own: (exceptions[0]?.frames ?? []).filter(({ own }) => own).map(({ function: name }) => name),
    breadcrumbs: (breadcrumbs ?? []).map(({ category, message: text }) => `${category}: ${text}`),
    tag: metadata.level_name,
  };
}
