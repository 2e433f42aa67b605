// Creates accounts, games and deploy keys, over HTTP or with the operator's commands, and reads the public page of a
// game.
import { type Ask, askAs } from './ask.ts';
import { newestLink } from './outbox.ts';
import type { Environment, Service } from './processes.ts';
import { runServerCommand } from './processes.ts';

export type Account = { email: string; password: string };

export type Studio = Account & {
  gameUid: string;
  slug: string;
  /** The environment variables of the `chauffeur` command. */
  environment: Environment;
};

const OWNER: Account = { email: 'owner@example.com', password: 'correct horse battery' };

/** Creates an account, and opens the link in the verification mail. */
export async function addAccount(service: Service, account: Account & { name?: string }): Promise<void> {
  const { email, name = email.split('@')[0] } = account;
  const answer = await fetch(`${service.url}/api/auth/sign-up/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ ...account, name }),
  });
  if (!answer.ok) throw new Error(`sign-up returned ${answer.status}: ${await answer.text()}`);
  const verified = await fetch(await newestLink(service, 'Verify your email', email), { redirect: 'manual' });
  if (verified.status >= 400) throw new Error(`the link in the mail returned ${verified.status}`);
}

/** Creates a verified owner, a public game and its deploy key. */
export async function openStudio(service: Service, name = 'Parking'): Promise<Studio> {
  await addAccount(service, OWNER);
  const ask: Ask = askAs(service, await signIn(service, OWNER));
  const game = await ask<Answer>('POST', '/games', { name, visibility: 'public' });
  return studioOf(service, game, await ask<Answer>('POST', `/games/${game.game_uid}/deploy-keys`));
}

/** Does the same with the operator's commands, without a browser. */
export async function openStudioByCommands(service: Service, name = 'Parking'): Promise<Studio> {
  const { email, password } = OWNER;
  await admin(service, ['user', 'create', '--email', email, '--password-stdin', '--verified'], password);
  const game = await admin(service, ['game', 'create', '--owner', email, '--name', name, '--visibility', 'public']);
  return studioOf(service, game, await admin(service, ['key', 'issue', '--game', game.game_uid ?? '']));
}

type Answer = Record<string, string>;

function studioOf(service: Service, game: Answer, key: Answer): Studio {
  return {
    ...OWNER,
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

async function admin(service: Service, args: string[], input = ''): Promise<Answer> {
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
  file: { checksum: string; status: string };
};

/** Returns the downloads on the game's public page. */
export async function readOffers(service: Service, game: string): Promise<Offer[]> {
  const response = await fetch(`${service.api}/public/games/${game}`);
  const body = (await response.json()) as { data: { downloads: Offer[] } };
  return body.data.downloads;
}

/** Signs the owner in. Returns the headers that a browser would send. */
export async function signIn(
  service: Service,
  { email, password }: Account,
): Promise<{ cookie: string; origin: string }> {
  const response = await fetch(`${service.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`sign-in returned ${response.status}: ${await response.text()}`);
  const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { cookie: cookie.join('; '), origin: service.url };
}
