// Fills a server with games, builds, crashes, events, bugs, a pending approval and a year of releases before them, and
// returns the URL of every page.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { PageName } from '@chauffeur/contract/pages';
import { actionToken } from '../../packages/server/src/notify/alerts/action-links.ts';
import { callTool } from '../../packages/server/test/setup/agents.ts';
import { type Ask, askAs } from '../../packages/server/test/setup/api-calls.ts';
import { addPictures } from '../../packages/server/test/setup/images.ts';
import { newestLink, newestMail } from '../../packages/server/test/setup/mail.ts';
import { registerClient, requestConsent } from '../../packages/server/test/setup/oauth.ts';
import { runServerCommand } from '../../packages/server/test/setup/server-command.ts';
import { addSymbols } from '../../packages/server/test/setup/symbols.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { type Shipped, shipAndScan, smallZip } from '../../packages/server/test/setup/uploads.ts';
import { reportByApi, type Target } from './crash-clients.ts';
import { addPastYear } from './past-year.ts';
import type { Service } from './processes.ts';
import { drawScene } from './scenery.ts';
import { playWithSdk } from './sdk-player.ts';
import { addAccount, keyOf, openStudio, type Studio } from './studio.ts';

const FIXTURES = fileURLToPath(new URL('../../packages/server/test/fixtures/crashes', import.meta.url));
const GAME = fileURLToPath(new URL('../../examples/tiny-game', import.meta.url));
const LEGAL = fileURLToPath(new URL('./legal.md', import.meta.url));
const WIDE = { width: 1600, height: 900 };
const HANDLE = 'north';
/** Enough sessions for a launch health rating. */
const DEVICES = 48;

/** A page with content, and its path. */
export type Visit = { readonly page: PageName; readonly path: string; readonly signedIn: boolean };

export type Showroom = { readonly owner: Studio; readonly visits: readonly Visit[] };

/** Creates the content, and waits until it is processed. The owner of the games is also an operator. */
export async function furnish(service: Service): Promise<Showroom> {
  const owner = await openStudio(service, 'Owls of the North');
  await runServerCommand(service.environment, ['admin', 'user', 'operator', '--email', owner.email]);
  const ask = askAs(service, owner.session);
  const [builds] = await Promise.all([
    shipBuilds(service, owner),
    furnishStore(service, owner, ask),
    openFurtherGames(service, owner, ask),
  ]);
  await addPastYear(service, { gameUid: owner.gameUid, buildId: builds.linux.buildId });
  const target: Target = { api: service.api, gameUid: owner.gameUid, buildId: builds.linux.buildId };
  const betaTarget: Target = { ...target, buildId: builds.beta.buildId };
  const rolloutId = await startRollout(ask, owner.gameUid);
  const [crash, bugUid, approvalUid, consent, invitation, follows, tickets] = await Promise.all([
    sendCrashes(service, owner, ask, betaTarget),
    fileBugs(ask, target),
    askForApproval(service, ask, owner.gameUid, builds.beta.buildId),
    askForConsent(service, owner.session),
    invite(service, owner, ask),
    followByMail(service, owner.slug),
    reportAsGuest(service, ask, owner),
    postJson(`${service.api}/public/games/${owner.slug}/page-reports`, {
      reason: 'misleading',
      message: 'The pictures are from another game.',
    }),
    sendEvents(target),
  ]);
  for (const name of ['Windows', 'Linux and Steam Deck']) {
    const { dsn } = await ask<{ dsn: string }>('POST', `/games/${owner.gameUid}/dsns`, { name });
    if (name === 'Windows') await playWithSdk(service, dsn);
  }
  const { organisations } = await ask<{ organisations: { organisation_uid: string }[] }>('GET', '/organisations');
  const paths: Record<PageName, string> = {
    home: '/',
    browse: '/browse?q=owls',
    game: `/g/${owner.slug}`,
    file: `/g/${owner.slug}/files/${builds.linux.fileUid}`,
    follow: `/g/${owner.slug}/follow`,
    ...follows,
    ...tickets,
    reportPage: `/g/${owner.slug}/report-page`,
    imprint: '/imprint',
    privacy: '/privacy',
    terms: '/terms',
    reportBug: `/g/${owner.slug}/report`,
    play: `/g/${owner.slug}/play`,
    developer: `/@${HANDLE}`,
    cli: '/cli',
    cliLogin: '/cli/login',
    docs: '/docs',
    docSearch: '/docs/search?q=symbols',
    doc: '/docs/cli',
    setup: '/setup',
    signIn: '/sign-in',
    signUp: '/sign-up',
    verify: '/verify',
    confirmEmail: '/confirm-email?token=x',
    reset: '/reset',
    profile: '/settings/profile',
    security: '/settings/security',
    agentKeys: '/settings/keys',
    apiTokens: '/settings/tokens',
    agents: '/settings/agents',
    consent,
    approve: `/approve/${approvalUid}`,
    invitation,
    organisation: `/org/${organisations[0]?.organisation_uid}`,
    organisationAudit: `/org/${organisations[0]?.organisation_uid}/audit`,
    unsubscribe: '/unsubscribe/token',
    operator: '/operator',
    operatorJobs: '/operator/jobs',
    operatorUsers: '/operator/users',
    operatorAudit: '/operator/audit',
    operatorStore: '/operator/store',
    operatorGames: '/operator/games',
    operatorSettings: '/operator/settings',
    operatorSetup: '/operator/setup',
    games: '/dev',
    ...inGame(owner.slug, {
      overview: '',
      builds: '/builds',
      build: `/builds/${builds.beta.buildId}`,
      buildCompare: `/builds/compare?a=${builds.beta.buildId}&b=${builds.linux.buildId}`,
      versions: '/versions',
      version: '/version?version=1.1.0',
      channels: '/channels',
      rollout: `/rollouts/${rolloutId}`,
      crashes: '/crashes',
      crashGroup: `/crashes/groups/${crash.group_id}`,
      crashReport: `/crashes/reports/${crash.crash_id}`,
      crashCompare: `/crashes/compare?a=${crash.crash_id}&b=${crash.crash_id}`,
      alertAction: `/alerts/${linkToken(owner.gameUid, crash.group_id!)}`,
      bugs: '/bugs',
      bug: `/bugs/${bugUid}`,
      health: '/health',
      events: '/events?events=level_done',
      statistics: '/statistics',
      settings: '/settings',
      settingsListing: '/settings/listing',
      settingsMedia: '/settings/media',
      settingsKeys: '/settings/keys',
      settingsAdmins: '/settings/admins',
      settingsAlerts: '/settings/alerts',
      settingsGrouping: '/settings/grouping',
      settingsIssues: '/settings/issues',
      settingsSource: '/settings/source',
      settingsSentry: '/settings/sentry',
      settingsBugs: '/settings/bugs',
      settingsEventFiles: '/settings/event-files',
      settingsAudit: '/settings/audit',
      settingsDanger: '/settings/danger',
    }),
  };
  const names = Object.keys(paths) as PageName[];
  return { owner, visits: names.map((page) => ({ page, path: paths[page], signedIn: !SIGNED_OUT.includes(page) })) };
}

/** Offers the newest version to a tenth of the devices on stable. */
async function startRollout(ask: Ask, gameUid: string): Promise<string> {
  const steps = [{ share: 10, hours: 24 }, { share: 50, hours: 48 }, { share: 100 }];
  const rollout = await ask<{ rollout_id: string }>('POST', `/games/${gameUid}/channels/stable/rollouts`, {
    version: '1.2.0-rc.1',
    steps,
  });
  return rollout.rollout_id;
}

/** Signs the link of an alert, which otherwise is sent about a minute after a crash. */
const SECRET = 'a secret that the showroom and its server share';

function linkToken(gameId: string, groupId: string): string {
  const ctx = { secret: SECRET, clock: { now: () => new Date() } };
  return actionToken(ctx, { gameId, groupId, action: 'resolve' });
}

/** Settings of servers with a showroom, which sends one address several emails of a kind. */
export const SHOWROOM_SETTINGS = {
  CHAUFFEUR_SECRET: SECRET,
  CHAUFFEUR_LIMIT_UNCONFIRMED_MAILS: '0',
  CHAUFFEUR_IMPRINT_EN: LEGAL,
  CHAUFFEUR_PRIVACY_EN: LEGAL,
  CHAUFFEUR_TERMS_EN: LEGAL,
};

/** The pages behind the links of the mails to someone who follows the game. */
async function followByMail(service: Service, slug: string): Promise<{ confirmFollow: string; endFollow: string }> {
  const to = 'reader@example.com';
  const request = () => postJson(`${service.api}/public/games/${slug}/follow`, { email: to });
  await request();
  const confirmation = new URL(await newestLink(service, 'Confirm that you follow', to)).pathname;
  await postJson(`${service.api}/public/follows/confirm`, { token: confirmation.split('/').at(-1) });
  await request();
  const [end = ''] = /\/unfollow\/[\w-]+/.exec((await newestMail(service, 'You already follow', to)).text) ?? [];
  return { confirmFollow: confirmation, endFollow: end };
}

/** The pages of a player who reports a bug without an account, and those behind the links of the mail about it. */
async function reportAsGuest(
  service: Service,
  ask: Ask,
  { slug, gameUid }: { slug: string; gameUid: string },
): Promise<Record<'ticket' | 'confirmReplies' | 'endReplies' | 'blockMails', string>> {
  const to = 'guest@example.com';
  const report = { message: 'The lamp stays dark.\nI lit it twice.', name: 'Robin', email: to };
  const filed = await postJson<{ bug_uid: string; page_url: string }>(
    `${service.api}/public/games/${slug}/bugs`,
    report,
  );
  const { text: mail } = await newestMail(service, 'Confirm your address', to);
  const [confirmReplies = ''] = /\/confirm-replies\/[\w-]+/.exec(mail) ?? [];
  const [blockMails = ''] = /\/block-emails\/[\w-]+/.exec(mail) ?? [];
  await postJson(`${service.api}/public/bugs/confirm`, { token: confirmReplies.split('/').at(-1) });
  await ask('POST', `/games/${gameUid}/bugs/${filed.bug_uid}/replies`, { message: 'It shines in the next build.' });
  const [endReplies = ''] = /\/stop-replies\/[\w-]+/.exec((await newestMail(service, 'Re: ', to)).text) ?? [];
  return { ticket: new URL(filed.page_url).pathname, confirmReplies, endReplies, blockMails };
}

async function postJson<Data = unknown>(url: string, body: object): Promise<Data> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: Data }).data;
}

/** The pages for signed-out visitors. */
const SIGNED_OUT: readonly PageName[] = ['setup', 'signIn', 'signUp', 'verify', 'reset'];

function inGame<Name extends string>(slug: string, paths: Record<Name, string>): Record<Name, string> {
  const names = Object.keys(paths) as Name[];
  return Object.fromEntries(names.map((name) => [name, `/dev/${slug}${paths[name]}`])) as Record<Name, string>;
}

type Builds = { linux: Shipped; beta: Shipped };

async function shipBuilds(service: Service, studio: Studio): Promise<Builds> {
  const ship = (version: string, os: string, more: object = {}) =>
    shipAndScan(
      service,
      studio,
      { version, os, arch: os === 'web' ? 'wasm' : 'x86_64', ...more },
      smallZip(`owls/${version}-${os}.bin`),
    );
  await Promise.all([
    ship('1.0.0', 'windows', { title: 'First flight' }),
    ship('1.0.0', 'linux', { title: 'First flight' }),
  ]);
  const changelog_items = [
    { title: 'A second forest', description: 'Pines, fog, and a bridge that holds.' },
    { title: 'Gamepads', description: 'Both sticks, and no more fear of the left one.' },
  ];
  const page = await readFile(`${GAME}/index.html`);
  const [linux] = await Promise.all([
    ship('1.1.0', 'linux', { title: 'Second forest', changelog_items }),
    ship('1.1.0', 'windows', { title: 'Second forest', changelog_items }),
    shipAndScan(service, studio, { version: '1.1.0', os: 'web', arch: 'wasm' }, smallZip('index.html', page)),
  ]);
  // The newest build, in which the crashes occur.
  const beta = await ship('1.2.0-rc.1', 'linux', { channel: 'beta', title: 'Owlets' });
  return { linux, beta };
}

const DESCRIPTION = `You are the last owl that still carries letters. **Fly low**, read the wind, and be home before the sun is.

## In the air

- A forest that *changes with the weather*
- Forty letters, and someone waiting for each
- Two hours, or an evening, or a winter

> I flew under the bridge. Twice.

Made by two people who [like birds](https://birds.example.com/).`;

async function furnishStore(service: Service, studio: Studio, ask: Ask): Promise<void> {
  await ask('PATCH', '/profile', { handle: HANDLE });
  await Promise.all([
    ask('PATCH', `/games/${studio.gameUid}`, {
      tagline: 'A quiet flight over forests at night',
      description: DESCRIPTION,
      tags: ['cosy', 'flight', 'night'],
      languages: ['en', 'de', 'ja', 'pt-BR'],
      content_notes: ['Heights'],
      links: [
        { kind: 'website', url: 'https://owls.example.com/' },
        { kind: 'community', url: 'https://chat.example.com/owls' },
      ],
      requirements: [
        { os: 'windows', minimum: 'Windows 10\n4 GB of memory', recommended: '8 GB of memory\nA gamepad' },
        { os: 'linux', minimum: 'Any of the last five years\n4 GB of memory', recommended: '' },
      ],
    }),
    ...(['cover', 'thumbnail'] as const).map(async (kind) =>
      addPictures(service, studio, kind, [await drawScene(0, WIDE)]),
    ),
    Promise.all([1, 2, 3, 4].map((no) => drawScene(no, WIDE))).then((scenes) =>
      addPictures(service, studio, 'screenshot', scenes),
    ),
  ]);
}

/** The other games on the home page. */
const FURTHER_GAMES = [
  { name: 'Salt and Signal', tagline: 'Keep a lighthouse through one winter', tags: ['cosy', 'night'], os: 'linux' },
  { name: 'Nine Rivers', tagline: 'Build a ferry line, one rope at a time', tags: ['building'], os: 'windows' },
  { name: 'Paper Orchard', tagline: 'Fold a garden that grows while you are away', tags: ['cosy'], os: 'macos' },
] as const;

async function openFurtherGames(service: Service, owner: Studio, ask: Ask): Promise<void> {
  await Promise.all(
    FURTHER_GAMES.map(async ({ name, os, ...texts }, index) => {
      const { game_uid: gameUid, slug } = await ask<{ game_uid: string; slug: string }>('POST', '/games', { name });
      const key = await ask<DeployKey>('POST', `/games/${gameUid}/deploy-keys`);
      const studio = { ...owner, gameUid, slug, ...keyOf(service, key) };
      const scene = await drawScene(index + 1, WIDE);
      for (const kind of ['cover', 'thumbnail', 'screenshot'] as const)
        await addPictures(service, studio, kind, [scene]);
      await shipAndScan(service, studio, { version: '1.0.0', os, arch: 'x86_64' }, smallZip(`${slug}.bin`));
      const description = `${texts.tagline}. For an evening, or for many.`;
      await ask('PATCH', `/games/${gameUid}`, { ...texts, description, visibility: 'public' });
    }),
  );
}

type DeployKey = { access_token: string; secret_key: string };

type Crash = { crash_id: string; group_id: string | null; state: string };

/**
 * Sends three reports of one crash, one without symbols, and some with only a message. Returns one of the first three.
 */
async function sendCrashes(service: Service, studio: Studio, ask: Ask, target: Target): Promise<Crash> {
  const fixture = async (name: string) => new Uint8Array(await readFile(`${FIXTURES}/${name}`));
  await addSymbols(service, studio, target.buildId, await fixture('null_deref_inline.sym'));
  const [dumpWithSymbols, dumpWithoutSymbols] = await Promise.all([
    fixture('null_deref_inline.dmp'),
    fixture('nosym_middle.dmp'),
  ]);
  const log = 'scene forest_2 loaded in 812 ms\nwind 0.4\nletters 3\n';
  const words = ['I flew under the bridge.', '', 'It happens each time I turn around at the old pine.'];
  for (const user_message of words)
    await reportByApi(
      target,
      { os: 'linux', app_version: '1.2.0-rc.1', user_message, metadata: { scene: 'forest_2', fps: 58 } },
      { dump: dumpWithSymbols, log },
    );
  await reportByApi(target, { os: 'linux', app_version: '1.2.0-rc.1' }, { dump: dumpWithoutSymbols, log });
  for (const message of [
    'Out of memory while loading forest_2',
    'Cannot open the save slot 3',
    'Cannot open the save slot 4',
  ])
    await report(target, { os: 'windows', app_version: '1.2.0-rc.1', message });
  const path = `/games/${studio.gameUid}/crashes`;
  return until(async () => {
    const { crashes } = await ask<{ crashes: Crash[] }>('GET', path);
    const { crashes: named } = await ask<{ crashes: Crash[] }>('GET', `${path}?frame=render::Layout`);
    return crashes.length === 7 && crashes.every(({ group_id }) => group_id !== null) && named[0];
  }, service.output);
}

async function report(target: Target, body: object): Promise<void> {
  await post(target, '/public/crashes', body);
}

/** Sends one session per device. A few end before boot_ok. */
async function sendEvents(target: Target): Promise<void> {
  for (let no = 0; no < DEVICES; no += 1) {
    const device_uid = `device-${no}`;
    const isUnlucky = no % 16 === 7;
    const played = [
      { event: 'boot_ok', device_uid, ms: 900 + ((no * 137) % 1400) },
      { event: 'first_input', device_uid, ms: 2500 + ((no * 91) % 3000) },
      ...Array.from({ length: no % 5 }, (_, level) => ({
        event: 'level_done',
        device_uid,
        properties: { level, calm: no % 2 === 0 },
      })),
      { event: 'session_end', device_uid, seconds: 120 + ((no * 211) % 3600) },
    ];
    const events = [{ event: 'session_start', device_uid }, ...(isUnlucky ? [{ event: 'crash', device_uid }] : played)];
    await post(target, '/public/events', { events });
  }
}

async function post({ api, gameUid, buildId }: Target, path: string, body: object): Promise<void> {
  const headers = { 'x-app-id': gameUid, 'x-build-id': buildId, 'content-type': 'application/json' };
  const response = await fetch(`${api}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
}

async function fileBugs(ask: Ask, { gameUid, buildId }: Target): Promise<string> {
  const path = `/games/${gameUid}/bugs`;
  const file = (message: string) =>
    ask<{ bug_uid: string }>('POST', path, { message, build_id: buildId, os: 'linux', arch: 'x86_64' });
  await file('The map stays open when I land.');
  const { bug_uid } = await file(
    'The wind can be heard, but the trees stand still.\n\nOnly in the second forest, and only after a reload.',
  );
  return bug_uid;
}

async function askForApproval(service: Service, ask: Ask, uid: string, build_id: string): Promise<string> {
  const { key } = await ask<{ key: string }>('POST', '/account/agent-keys', { name: 'Release desk', may_write: true });
  const { approval } = await callTool<{ approval: { uid: string } }>(service, key, 'promote_build', {
    uid,
    build_id,
    channel: 'stable',
  });
  return approval.uid;
}

const ADMIN = { email: 'ida@example.com', password: 'correct horse battery' };

/**
 * Offers the owner another person's game, and invites two people to one of the owner's. Returns the page of the offer.
 */
async function invite(service: Service, owner: Studio, ask: Ask): Promise<string> {
  for (const email of ['wren@example.com', 'teal@example.com'])
    await ask('POST', `/games/${owner.gameUid}/invitations`, { email });
  const ida = askAs(service, await addAccount(service, { ...ADMIN, name: 'Ida' }));
  const { game_uid } = await ida<{ game_uid: string }>('POST', '/games', { name: 'Moth Season' });
  await ida('POST', `/games/${game_uid}/transfer`, { email: owner.email, password: ADMIN.password });
  return new URL(await newestLink(service, 'Transfer of Moth Season', owner.email)).pathname;
}

/** Requests access for a local program. Returns the consent page. */
async function askForConsent(service: Service, { cookie }: { cookie: string }): Promise<string> {
  const client = await registerClient(service, { client_name: 'Night desk', client_uri: 'https://desk.example' });
  const { request } = await requestConsent(service, client, cookie);
  return `/consent?${new URLSearchParams({ request })}`;
}
