// An account, a game and a deploy key, made by the operator's commands; and what a player sees of the game.
import type { Environment, Service } from './processes.ts';
import { runServerCommand } from './processes.ts';

export type Studio = {
  gameUid: string;
  slug: string;
  email: string;
  password: string;
  /** What the `chauffeur` command needs. */
  environment: Environment;
};

/** Makes a verified owner, a public game and its deploy key. */
export async function openStudio(service: Service, name = 'Parking'): Promise<Studio> {
  const email = 'owner@example.com';
  const password = 'correct horse battery';
  await admin(service, ['user', 'create', '--email', email, '--password-stdin', '--verified'], password);
  const game = await admin(service, ['game', 'create', '--owner', email, '--name', name, '--visibility', 'public']);
  const key = await admin(service, ['key', 'issue', '--game', game.game_uid ?? '']);
  return {
    gameUid: game.game_uid ?? '',
    slug: game.slug ?? '',
    email,
    password,
    environment: {
      SERVICE_ACCESS_TOKEN: key.access_token ?? '',
      SERVICE_SECRET_KEY: key.secret_key ?? '',
      SERVICE_API_URL: service.api,
      SERVICE_UPLOAD_URL: service.api,
    },
  };
}

async function admin(service: Service, args: string[], input = ''): Promise<Record<string, string>> {
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

/** The downloads that the game's public page offers. */
export async function readOffers(service: Service, game: string): Promise<Offer[]> {
  const response = await fetch(`${service.api}/public/games/${game}`);
  const body = (await response.json()) as { data: { downloads: Offer[] } };
  return body.data.downloads;
}

/** Signs the owner in; answers the headers that a browser would send. */
export async function signIn(
  service: Service,
  { email, password }: Studio,
): Promise<{ cookie: string; origin: string }> {
  const response = await fetch(`${service.url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: service.url },
    body: JSON.stringify({ email, password }),
  });
  if (!response.ok) throw new Error(`sign-in answered ${response.status}: ${await response.text()}`);
  const cookie = response.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { cookie: cookie.join('; '), origin: service.url };
}
