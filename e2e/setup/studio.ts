// Creates accounts, games and deploy keys of a server in another process, over HTTP or with the operator's commands, and
// reads the public page of a game.
import { cookieOf, openLink, postAuth } from '../../packages/server/test/setup/accounts.ts';
import { type Ask, askAs } from '../../packages/server/test/setup/api-calls.ts';
import { newestLink } from '../../packages/server/test/setup/mail.ts';
import { type KeyHolder, signIn } from '../../packages/server/test/setup/server.ts';
import { runServerCommand } from '../../packages/server/test/setup/server-command.ts';
import type { Environment, Service } from './processes.ts';

export type Account = { email: string; password: string };

/** The headers of a signed-in browser. */
export type Session = { cookie: string; origin: string };

export type Studio = Account &
  KeyHolder & {
    session: Session;
    gameUid: string;
    slug: string;
    /** The environment variables of the `chauffeur` command. */
    environment: Environment;
  };

const OWNER: Account = { email: 'owner@example.com', password: 'correct horse battery' };

/** Creates an account whose address is not verified. */
export async function signUpAs(service: Service, account: Account & { name?: string }): Promise<void> {
  const response = await postAuth(service, '/sign-up/email', { name: account.email.split('@')[0], ...account });
  if (!response.ok) throw new Error(`sign-up returned ${response.status}: ${await response.text()}`);
}

type FindLink = (to: string) => Promise<string>;

/** Creates an account, and presses the button behind the link in the verification mail, which signs the person in. */
export async function addAccount(
  service: Service,
  account: Account & { name?: string },
  findLink: FindLink = (to) => newestLink(service, 'Verify your email', to),
): Promise<Session> {
  await signUpAs(service, account);
  const response = await openLink(await findLink(account.email));
  if (response.status >= 400) throw new Error(`the link in the mail returned ${response.status}`);
  return { cookie: cookieOf(response), origin: service.url };
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
  return studioOf(service, await startBrowserSession(service, OWNER), game, key);
}

/** Signs a person in. */
export async function startBrowserSession(
  service: Pick<Service, 'url'>,
  { email, password }: Account,
): Promise<Session> {
  return { ...(await signIn(service, { email, password })), origin: service.url };
}

/** What the service returns for a new game or deploy key. */
type Created = Record<string, string>;

function studioOf(service: Service, session: Session, game: Created, key: Created): Studio {
  return { ...OWNER, session, gameUid: game.game_uid ?? '', slug: game.slug ?? '', ...keyOf(service, key) };
}

/** A deploy key as the API and the `chauffeur` command expect it. */
export function keyOf(
  service: Pick<Service, 'api'>,
  { access_token = '', secret_key = '' }: Created,
): Pick<Studio, 'keyHeaders' | 'environment'> {
  return {
    keyHeaders: { 'x-access-token': access_token, 'x-secret-key': secret_key },
    environment: {
      SERVICE_ACCESS_TOKEN: access_token,
      SERVICE_SECRET_KEY: secret_key,
      SERVICE_API_URL: service.api,
      SERVICE_UPLOAD_URL: service.api,
    },
  };
}

async function admin(service: Service, args: string[], input?: string): Promise<Created> {
  const { code, stdout, stderr } = await runServerCommand(service.environment, ['admin', ...args, '--json'], input);
  if (code !== 0) throw new Error(`chauffeur-server admin ${args.join(' ')} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** Edits the texts of the game as its owner. */
export async function changeGame(service: Service, studio: Studio, changes: object): Promise<void> {
  await askAs(service, studio.session)('PATCH', `/games/${studio.gameUid}`, changes);
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
  const { downloads } = await askAs(service, {})<{ downloads: Offer[] }>('GET', `/public/games/${game}`);
  return downloads;
}
