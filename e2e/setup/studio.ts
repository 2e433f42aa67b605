// Creates accounts, games and deploy keys, over HTTP or with the operator's commands, and reads the public page of a
// game.
import { type Ask, askAs } from './ask.ts';
import { newestLink } from './outbox.ts';
import type { Environment, Service } from './processes.ts';
import { runServerCommand } from './processes.ts';

export type Account = { email: string; password: string };

/** The headers of a signed-in browser. */
export type Session = { cookie: string; origin: string };

export type Studio = Account & {
  session: Session;
  gameUid: string;
  slug: string;
  /** The environment variables of the `chauffeur` command. */
  environment: Environment;
};

const OWNER: Account = { email: 'owner@example.com', password: 'correct horse battery' };

/** Creates an account whose address is not verified. */
export async function signUp(service: Service, account: Account & { name?: string }): Promise<void> {
  const { email, name = email.split('@')[0] } = account;
  const response = await fetch(`${service.url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ ...account, name }),
  });
  if (!response.ok) throw new Error(`sign-up returned ${response.status}: ${await response.text()}`);
}

type FindLink = (to: string) => Promise<string>;

/** Creates an account, and presses the button behind the link in the verification mail, which signs the person in. */
export async function addAccount(
  service: Service,
  account: Account & { name?: string },
  findLink: FindLink = (to) => newestLink(service, 'Verify your email', to),
): Promise<Session> {
  await signUp(service, account);
  const response = await fetch(await findLink(account.email), { method: 'POST', redirect: 'manual' });
  if (response.status >= 400) throw new Error(`the link in the mail returned ${response.status}`);
  return sessionOf(service, response);
}

/** Creates a verified owner, a public game and its deploy key. */
export async function openStudio(service: Service, name = 'Parking', findLink?: FindLink): Promise<Studio> {
  const session = await addAccount(service, OWNER, findLink);
  const ask: Ask = askAs(service, session);
  const game = await ask<Created>('POST', '/games', { name, visibility: 'public' });
  return studioOf(service, session, game, await ask<Created>('POST', `/games/${game.game_uid}/deploy-keys`));
}

/** Does the same with the operator's commands, without a browser. */
export async function openStudioByCommands(service: Service, name = 'Parking'): Promise<Studio> {
  const { email, password } = OWNER;
  await admin(service, ['user', 'create', '--email', email, '--password-stdin', '--verified'], password);
  const game = await admin(service, ['game', 'create', '--owner', email, '--name', name, '--visibility', 'public']);
  const key = await admin(service, ['key', 'issue', '--game', game.game_uid ?? '']);
  return studioOf(service, await signIn(service, OWNER), game, key);
}

/** What the service returns for a new game or deploy key. */
type Created = Record<string, string>;

function studioOf(service: Service, session: Session, game: Created, key: Created): Studio {
  return {
    ...OWNER,
    session,
    gameUid: game.game_uid ?? '',
    slug: game.slug ?? '',
    environment: {
      SERVICE_ACCESS_TOKEN: key.access_token ?? '',
      SERVICE_SECRET_KEY: key.secret_key ?? '',
      SERVICE_API_URL: service.api,
      SERVICE_UPLOAD_URL: service.api,
    },
  };
}

async function admin(service: Service, args: string[], input = ''): Promise<Created> {
  const { code, stdout, stderr } = await runServerCommand(service, ['admin', ...args, '--json'], input);
  if (code !== 0) throw new Error(`chauffeur-server admin ${args.join(' ')} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

export type Offer = {
  channel: string;
  os: string;
  arch: string;
  version: string;
  download_url: string;
  provenance_url: string;
  file: { file_uid: string; checksum: string; status: string };
};

/** Returns the downloads on the game's public page. */
export async function readOffers(service: Service, game: string): Promise<Offer[]> {
  const response = await fetch(`${service.api}/public/games/${game}`);
  const body = (await response.json()) as { data: { downloads: Offer[] } };
  return body.data.downloads;
}

/** Signs a person in. */
export async function signIn(service: Pick<Service, 'url'>, { email, password }: Account): Promise<Session> {
  const response = await fetch(`${service.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`sign-in returned ${response.status}: ${await response.text()}`);
  return sessionOf(service, response);
}

function sessionOf(service: Pick<Service, 'url'>, response: Response): Session {
  const pairs = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { cookie: pairs.join('; '), origin: service.url };
}
