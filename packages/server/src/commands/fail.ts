// Reports a failed operator command: one plain message, no stack, exit code 1.
import { ApiError } from '@chauffeur/contract/errors';

/** Errors whose message is enough for the operator. Other errors are unexpected, so their stack is printed as well. */
const PLAIN = new Set([
  'BackupError',
  'ConfigError',
  'DistributionError',
  'EmbeddedPostgresError',
  'LegalPageError',
  'MigrationError',
  'AccountError',
  'PoolerError',
  'PortError',
  'UsageError',
]);

/** The arguments of a command are invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function failPlainly(error: unknown): void {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
}

/** The message for a failed command. Mistakes that operators often make get a sentence and a remedy. */
function describeFailure(error: unknown): string {
  if (error instanceof ApiError) return `error ${error.code}: ${error.message}`;
  if (!(error instanceof Error)) return `error: ${String(error)}`;
  if (PLAIN.has(error.name)) return `error: ${error.message}`;
  const mistake = findMistake(error);
  return `error: ${mistake ?? error.stack ?? error.message}`;
}

function findMistake(error: unknown): string | null {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const failure = cause as Failure;
    const mistake = MISTAKES.find(({ applies }) => applies(failure));
    if (mistake !== undefined) return mistake.message(failure);
  }
  return null;
}

/** What happened and what to do, as sentences without secrets; null for an unexpected error. */
export function explainMistake(error: unknown): string | null {
  const text = error instanceof Error && PLAIN.has(error.name) ? error.message : findMistake(error);
  return text === null ? null : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** The fields of errors of the system, of PostgreSQL and of S3 that say what went wrong. */
type Failure = Error & {
  readonly code?: string;
  readonly syscall?: string;
  readonly path?: string;
  readonly address?: string;
  readonly port?: number;
};

type Mistake = {
  /** A name for readers of this list. */
  readonly name: string;
  readonly applies: (failure: Failure) => boolean;
  readonly message: (failure: Failure) => string;
};

const hasCode =
  (...codes: readonly string[]) =>
  ({ code }: Failure) =>
    code !== undefined && codes.includes(code);
const isNamed =
  (...names: readonly string[]) =>
  ({ name, code }: Failure) =>
    names.includes(name) || (code !== undefined && names.includes(code));

/**
 * The first that applies is reported. No message repeats what a library says of a host or a user: if a password has a
 * character that must be encoded, a part of the password is taken for one of these.
 */
const MISTAKES: readonly Mistake[] = [
  {
    name: 'port in use',
    applies: hasCode('EADDRINUSE'),
    message: ({ address, port }) =>
      `${address}:${port} is in use. Stop the program that uses it, or set CHAUFFEUR_PORT or CHAUFFEUR_METRICS_PORT to another port.`,
  },
  {
    name: 'address of another machine',
    applies: hasCode('EADDRNOTAVAIL'),
    message: () =>
      'this machine does not have the address in CHAUFFEUR_HOST. Use one of its own addresses, or 0.0.0.0 for all of them.',
  },
  {
    name: 'port for administrators',
    applies: ({ code, syscall }) => (code === 'EACCES' || code === 'EPERM') && syscall === 'listen',
    message: ({ port }) =>
      `this account may not listen on port ${port}. Use a port above 1023, and let a proxy in front of the server use this one.`,
  },
  {
    name: 'database does not respond',
    applies: ({ code, syscall }) =>
      code === 'ECONNREFUSED' || (syscall === 'connect' && (code === 'ETIMEDOUT' || code === 'ENOENT')),
    message: () => 'cannot connect to PostgreSQL at DATABASE_URL. Start it, or correct the address.',
  },
  {
    name: 'host of the database',
    applies: hasCode('ENOTFOUND', 'EAI_AGAIN'),
    message: () =>
      'the host in DATABASE_URL or in the endpoint of CHAUFFEUR_BLOBS was not found. Correct it. If the password has characters such as @ : / ? # %, encode them: %40 %3A %2F %3F %23 %25.',
  },
  {
    name: 'URL of the database',
    applies: hasCode('ERR_INVALID_URL', 'ERR_INVALID_URI'),
    message: () =>
      'a URL in the settings cannot be read. If the password in it has characters such as @ : / ? # %, encode them: %40 %3A %2F %3F %23 %25.',
  },
  {
    name: 'password of the database',
    applies: (failure) =>
      hasCode('28P01', '28000')(failure) || /client password must be a string|no password/i.test(failure.message),
    message: () =>
      'PostgreSQL refused the user or the password in DATABASE_URL. Correct them. Characters such as @ : / ? # % in a password must be encoded: %40 %3A %2F %3F %23 %25.',
  },
  {
    name: 'missing database',
    applies: hasCode('3D000'),
    message: () =>
      'the database in DATABASE_URL does not exist. Create it: createdb --owner <user> <name>. Or correct the name at the end of the URL.',
  },
  {
    name: 'rights in the database',
    applies: hasCode('42501'),
    message: () =>
      'the user in DATABASE_URL may not create tables in the schema public. As a superuser, make it the owner of the database: alter database <name> owner to <user>; or allow it: grant all on schema public to <user>.',
  },
  {
    name: 'connections of the database',
    applies: hasCode('53300'),
    message: () =>
      'PostgreSQL has no connection left. Raise its max_connections, or lower CHAUFFEUR_DATABASE_CONNECTIONS; each process opens up to that many and two more.',
  },
  {
    name: 'database that starts or stops',
    applies: hasCode('57P03', '57P01'),
    message: () => 'PostgreSQL is starting or stopping. Try again in a few seconds.',
  },
  {
    // SQLSTATE read_only_sql_transaction.
    name: 'read-only database',
    applies: hasCode('25006'),
    message: () => 'the PostgreSQL at DATABASE_URL is read-only, like a standby. Use the address of the primary.',
  },
  {
    name: 'database without TLS',
    applies: ({ message }) => /server does not support SSL/i.test(message),
    message: () =>
      'the PostgreSQL at DATABASE_URL does not offer TLS. Turn on its ssl, or remove sslmode from the URL if the connection is private.',
  },
  {
    name: 'certificate that is not trusted',
    applies: hasCode(
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'SELF_SIGNED_CERT_IN_CHAIN',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    ),
    message: () =>
      'the certificate of PostgreSQL or of the blob storage is not signed by a known authority. Set NODE_EXTRA_CA_CERTS to the file with the certificate of yours; for PostgreSQL, sslrootcert=<file> in DATABASE_URL works too.',
  },
  {
    name: 'certificate of another host',
    applies: hasCode('ERR_TLS_CERT_ALTNAME_INVALID', 'CERT_HAS_EXPIRED'),
    message: () =>
      'the certificate of PostgreSQL or of the blob storage has expired or is for another host. Renew it, or use the host that it names.',
  },
  {
    name: 'credentials of S3',
    applies: isNamed('CredentialsProviderError', 'InvalidAccessKeyId', 'SignatureDoesNotMatch', 'ExpiredToken'),
    message: () =>
      'the S3 storage has no valid credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run where an IAM role provides them.',
  },
  {
    name: 'rights in S3',
    applies: isNamed('AccessDenied', 'Forbidden'),
    message: () =>
      'the credentials for S3 may not use the bucket in CHAUFFEUR_BLOBS. Allow them to list it, and to get, put and delete its objects.',
  },
  {
    name: 'missing bucket',
    applies: isNamed('NoSuchBucket'),
    message: () => 'the bucket in CHAUFFEUR_BLOBS does not exist. Create it, or correct its name, region and endpoint.',
  },
  {
    name: 'folder of another account',
    applies: hasCode('EACCES', 'EPERM'),
    message: ({ path }) =>
      `this account may not use ${path ?? 'a file in CHAUFFEUR_DATA'}. Run the command as the account that owns CHAUFFEUR_DATA, or give the folder to this account: chown -R <account> <folder>.`,
  },
  {
    name: 'read-only disk',
    applies: hasCode('EROFS'),
    message: ({ path }) =>
      `${path ?? 'The disk with CHAUFFEUR_DATA'} is read-only. Set CHAUFFEUR_DATA to a folder that can be written.`,
  },
  {
    name: 'file instead of a folder',
    applies: hasCode('ENOTDIR', 'EEXIST'),
    message: ({ path }) =>
      `${path ?? 'A part of CHAUFFEUR_DATA'} is a file where a folder is needed. Set CHAUFFEUR_DATA to another folder.`,
  },
  {
    name: 'full disk',
    applies: hasCode('ENOSPC', 'EDQUOT', '53100'),
    message: () => 'the disk is full. Free some space, and start again.',
  },
];
