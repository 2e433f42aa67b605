// The `chauffeur` command that a server hands out, and how it signs in.
import Type from 'typebox';
import { LIMITS } from '../limits.ts';
import { defineOperation } from '../operation.ts';
import { Foreign, GameRef, Nullable, Timestamp, Uuid } from './fields.ts';

/** What the command is built for. `npm` is a package that any Node from version 22 on can run. */
const CliPlatform = Type.Enum(['npm', 'linux-x64', 'linux-arm64', 'macos-arm64', 'macos-x64', 'windows-x64']);

const CliFile = Type.Object({
  platform: CliPlatform,
  name: Type.String({ description: 'Name of the file below /cli/; a program is compressed with gzip' }),
  size: Type.Integer({ description: 'In bytes' }),
  sha256: Type.String(),
});

/** `command.json` of a release. */
export const CliRelease = Type.Object({ version: Type.String(), files: Type.Array(CliFile) });

export const getCli = defineOperation({
  id: 'cli.get',
  summary: 'Get the version of the chauffeur command that this server offers, how to install it, and its files',
  method: 'GET',
  path: '/public/cli',
  access: 'public',
  output: Type.Object({
    version: Type.String(),
    install: Type.Object(
      { sh: Type.String(), powershell: Type.String(), npm: Type.String() },
      { description: 'Lines to paste into a terminal: on Linux and macOS, on Windows, and where Node is installed' },
    ),
    files: Type.Array(
      Type.Object({ ...CliFile.properties, url: Type.String() }, { description: 'npm first, then programs' }),
    ),
  }),
  statuses: [200],
  errors: ['notFound'],
});

// The command signs in in the manner of RFC 8628: it shows a code, a signed-in person approves
// it on the website, and the command receives a key that acts for the person as a deploy key would.

export const CLI_KEY_PREFIX = 'chf_cli_';

/** A text without characters that could imitate or hide other text on the page that shows it. */
const reportedText = (description: string) =>
  Type.String({ minLength: 1, maxLength: LIMITS.cliHostLength, pattern: '^[ -~]+$', description });

const Reported = {
  host: reportedText('Name of the computer: letters, digits, `.`, `_` and `-`; others become `-`'),
  os: reportedText('Its operating system, of which the first two words are kept'),
};

const ShownReported = { host: Foreign(Reported.host), os: Foreign(Reported.os) };

const LoginGame = Nullable(
  Type.Object(
    { game_uid: Uuid, slug: Type.String(), name: Type.String() },
    { description: 'The only game it has access to; null for all games you own or administer' },
  ),
);

export const startCliLogin = defineOperation({
  id: 'cliLogins.start',
  summary: 'Start signing in a command: returns a code for the person and one for the command',
  method: 'POST',
  path: '/public/cli/logins',
  access: 'public',
  audit: false,
  bodyLimit: 4096,
  body: Type.Object(Reported),
  output: Type.Object({
    device_code: Type.String({ description: 'For cliLogins.poll; keep it secret' }),
    user_code: Type.String({ description: 'The code that the website shows, for the person to compare' }),
    verification_url: Type.String({ description: 'The page on which the person approves the login' }),
    expires_in: Type.Integer({ description: 'Seconds until the codes expire' }),
    interval: Type.Integer({ description: 'Seconds to wait between two polls' }),
  }),
  secret: true,
  statuses: [201],
  errors: ['limitReached'],
  example: { body: { host: 'workstation', os: 'Linux' } },
});

export const pollCliLogin = defineOperation({
  id: 'cliLogins.poll',
  summary: 'Ask whether the person has decided about a login; returns the key once',
  method: 'POST',
  path: '/public/cli/logins/token',
  access: 'public',
  audit: false,
  bodyLimit: 4096,
  body: Type.Object({ device_code: Type.String({ minLength: 1, maxLength: 100 }) }),
  output: Type.Object({
    status: Type.Enum(['pending', 'slow_down', 'approved', 'denied', 'expired'], {
      description:
        'slow_down: still pending, and polled too soon. expired: the codes are unknown, expired or already used',
    }),
    interval: Type.Integer({ description: 'Seconds to wait before the next poll' }),
    login: Nullable(
      Type.Object(
        {
          key: Type.String({ description: 'Send it as Authorization: Bearer; it is not shown again' }),
          key_ref: Type.String({ description: 'The first characters of the key' }),
          user: Type.String({ description: 'Name of the person' }),
          game: LoginGame,
        },
        { description: 'Set once, when the status is approved' },
      ),
    ),
  }),
  secret: true,
  statuses: [200],
  errors: ['limitReached'],
});

export const endCliLogin = defineOperation({
  id: 'cliLogins.end',
  summary: 'Revoke the login with this key; unknown keys get the same response',
  method: 'POST',
  path: '/public/cli/logins/revoke',
  access: 'public',
  audit: false,
  bodyLimit: 4096,
  body: Type.Object({ key: Type.String({ minLength: 1, maxLength: 100 }) }),
  output: Type.Object({ revoked: Type.Boolean() }),
  statuses: [200],
  errors: ['limitReached'],
});

const CodeParams = Type.Object({
  user_code: Type.String({
    pattern: '^[A-Za-z]{4}-?[A-Za-z]{4}$',
    description: 'The code that the command shows: eight letters, with or without the hyphen',
  }),
});

export const getCliLoginRequest = defineOperation({
  id: 'cliLogins.getRequest',
  summary: 'Get the pending login with this code',
  method: 'GET',
  path: '/account/cli-login-requests/{user_code}',
  access: 'account',
  params: CodeParams,
  output: Type.Object({
    user_code: Type.String(),
    ...ShownReported,
    address: Nullable(Type.String({ description: 'The IP address from which the command asked' })),
    is_same_network: Type.Boolean({ description: 'Whether this request came from the same address, or IPv6 network' }),
    created_at: Timestamp,
    expires_at: Timestamp,
  }),
  statuses: [200],
  errors: ['notFound', 'limitReached'],
});

export const decideCliLogin = defineOperation({
  id: 'cliLogins.decide',
  summary: 'Approve or deny the pending login with this code',
  method: 'POST',
  path: '/account/cli-login-requests/{user_code}',
  access: 'account',
  role: 'developer',
  params: CodeParams,
  body: Type.Object({
    approve: Type.Boolean(),
    game: Type.Optional({
      ...GameRef,
      description: 'The only game that the login gets access to; all games you own or administer if omitted',
    }),
  }),
  output: Type.Object({ approved: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound', 'limitReached'],
});

const CliLogin = Type.Object({
  login_id: Uuid,
  key_ref: Type.String({ description: 'The first characters of the key' }),
  ...ShownReported,
  game: LoginGame,
  created_at: Timestamp,
  last_used_at: Timestamp,
  expires_at: Timestamp,
});

export const listCliLogins = defineOperation({
  id: 'cliLogins.list',
  summary: 'List the active logins of the chauffeur command, newest first',
  method: 'GET',
  path: '/account/cli-logins',
  access: 'account',
  output: Type.Object({ logins: Type.Array(CliLogin) }),
  statuses: [200],
  errors: [],
});

export const revokeCliLogin = defineOperation({
  id: 'cliLogins.revoke',
  summary: 'Revoke a login of the chauffeur command',
  method: 'DELETE',
  path: '/account/cli-logins/{login_id}',
  access: 'account',
  params: Type.Object({ login_id: Uuid }),
  output: Type.Object({ revoked: Type.Boolean() }),
  statuses: [200],
  errors: ['notFound'],
});
