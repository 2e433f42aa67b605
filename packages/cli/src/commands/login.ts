// `chauffeur login`: signs in to a server and keeps the key. `chauffeur logout`: revokes and forgets it.
// cspell:ignore rundll
import { spawn } from 'node:child_process';
import { arch, hostname, type as osType } from 'node:os';
import { type Client, NetworkError } from '@chauffeur/contract/client';
import { LIMITS } from '@chauffeur/contract/limits';
import type { OutputOf } from '@chauffeur/contract/operation';
import { endCliLogin, pollCliLogin, startCliLogin } from '@chauffeur/contract/operations/cli';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { LocalError } from '../failures.ts';
import type { Login } from '../logins.ts';
import { REAL_WAITING } from '../retry.ts';
import { warnIfUnencrypted } from '../settings.ts';
import { type Act, type Action, withExample } from './command.ts';

export function loginCommand(command: Command, act: Act): Command {
  return withExample(command, 'login games.example.com')
    .argument('[server]', 'address of the server, instead of --url')
    .option('--no-browser', 'print the URL instead of opening it')
    .action(act(login));
}

type Approved = NonNullable<OutputOf<typeof pollCliLogin>['login']>;
type Started = OutputOf<typeof startCliLogin>;

const login: Action<{ browser: boolean }> = async (context, { browser }, server) => {
  const { logins, output, retryBriefly, signal } = context;
  const { url } = context.urls(server);
  // Also reports a file that cannot be used, before the person approves anything.
  const previous = logins.read().all.find((stored) => stored.url === url);
  warnIfUnencrypted([url], output);
  const client = context.connectAsGuest(server);
  const reported = { host: reportedText(hostname()), os: reportedText(`${osType()} ${arch()}`) };
  const started = checkStarted(await retryBriefly(() => client.call(startCliLogin, reported, { signal })));
  showCode(started, browser, context);
  const approved = await untilApproved(client, started, context);
  const stored = { url, key: approved.key, user: approved.user, game: approved.game?.slug ?? null };
  await keep(client, stored, previous, context);
  return {
    data: { url, user: stored.user, game: stored.game, key_ref: approved.key_ref, stored_in: logins.path },
    lines: [
      `Signed in to ${new URL(url).origin} as ${stored.user}.`,
      stored.game === null
        ? 'If you have several games, name one with --game or SERVICE_GAME.'
        : `The login is for the game ${stored.game}.`,
    ],
  };
};

/** Replaces what the server doesn't accept in a text. */
function reportedText(text: string): string {
  return text.replace(/[^ -~]/g, '?').slice(0, LIMITS.cliHostLength) || 'unknown';
}

/** A URL that is opened and a code that is printed must not be anything else. */
function checkStarted(started: Started): Started {
  const page = URL.parse(started.verification_url);
  if (page === null || !/^https?:$/.test(page.protocol) || !/^[A-Z]{4}-[A-Z]{4}$/.test(started.user_code))
    throw new NetworkError('the response is not from a Chauffeur server');
  return { ...started, verification_url: page.href };
}

/** Also with --quiet, because the login cannot be approved without it. */
function showCode(
  { user_code: code, verification_url: page, expires_in: seconds }: Started,
  browser: boolean,
  { output, env }: Context,
): void {
  const isOpened = browser && output.stderr.isTTY === true && openInBrowser(page, env);
  const lines = [
    `Your code: ${code}`,
    isOpened ? `Opening ${page}` : `Open ${page}`,
    `Compare the code on the page, and approve within ${Math.round(seconds / 60)} minutes.`,
  ];
  output.stderr.write(`${lines.join('\n')}\n`);
}

async function untilApproved(client: Client, started: Started, context: Context): Promise<Approved> {
  const { signal, retryBriefly } = context;
  const code = { device_code: started.device_code };
  for (let { interval } = started; ; ) {
    await REAL_WAITING.pause(interval * 1000, signal);
    const answer = await retryBriefly(() => client.call(pollCliLogin, code, { signal }));
    if (answer.login !== null) return answer.login;
    if (answer.status === 'denied') throw new LocalError('The login was denied.');
    if (answer.status === 'expired')
      throw new LocalError('The code expired before it was approved.', 'Run chauffeur login again.');
    interval = answer.interval;
  }
}

/** Stores the key and revokes the previous one. A key that cannot be stored is revoked itself. */
async function keep(client: Client, stored: Login, previous: Login | undefined, context: Context): Promise<void> {
  const revoke = (key: string) => client.call(endCliLogin, { key }, { signal: context.signal });
  try {
    context.logins.save(stored);
  } catch (error) {
    await revoke(stored.key).catch(() => undefined);
    throw error;
  }
  if (previous === undefined) return;
  await revoke(previous.key).catch(() =>
    context.output.note('warning: your earlier login could not be revoked. Revoke it in the settings of your account.'),
  );
}

type Environment = Readonly<Record<string, string | undefined>>;
type Opener = { readonly file: string; readonly args: readonly string[] };

/** The program that opens a URL on this system, without a shell; null without a desktop. */
export function openerOf(url: string, env: Environment, platform: NodeJS.Platform): Opener | null {
  if (platform === 'win32') return { file: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', url] };
  if (platform === 'darwin') return { file: 'open', args: [url] };
  // A browser on the other side of an SSH connection would open where the user cannot see it.
  const hasDesktop = Boolean(env.DISPLAY || env.WAYLAND_DISPLAY) && !env.SSH_CONNECTION;
  return hasDesktop ? { file: 'xdg-open', args: [url] } : null;
}

/** Returns whether a browser was asked to open the page. Its failure is ignored, because the user also sees the URL. */
export function openInBrowser(url: string, env: Environment): boolean {
  const opener = openerOf(url, env, process.platform);
  if (opener === null) return false;
  spawn(opener.file, opener.args, { stdio: 'ignore', detached: true })
    .on('error', () => undefined)
    .unref();
  return true;
}

export function logoutCommand(command: Command, act: Act): Command {
  return withExample(command, 'logout')
    .argument('[server]', 'address of the server, instead of --url')
    .action(act(logout));
}

const logout: Action<object> = async ({ connectAsGuest, logins, retryBriefly, signal, urls }, _, server) => {
  const { url } = urls(server);
  const { origin } = new URL(url);
  const stored = logins.read().all.find((login) => login.url === url);
  if (stored === undefined) {
    return { data: { url, signed_out: false }, lines: [`You were not signed in to ${origin}.`] };
  }
  // The key is forgotten only afterwards. Otherwise, if that fails, it could be revoked only on the website.
  await retryBriefly(() => connectAsGuest(server).call(endCliLogin, { key: stored.key }, { signal }));
  logins.remove(url);
  return { data: { url, signed_out: true }, lines: [`Signed out of ${origin}.`] };
};
