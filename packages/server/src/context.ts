// What handlers and jobs receive: the context of the service, and the caller.
import type { UploadScope } from '@chauffeur/contract/operation';
import type { SignInMethod } from '@chauffeur/contract/required-sign-in';
import type { Role } from '@chauffeur/contract/roles';
import type pg from 'pg';
import type { Config } from './config.ts';
import type { BlobStore } from './kernel/blobs/store.ts';
import type { Clock } from './kernel/clock.ts';
import type { Db } from './kernel/database/db.ts';
import type { Replica } from './kernel/database/replica.ts';
import type { Mailer } from './kernel/email/email.ts';
import type { Presence } from './kernel/processes/presence.ts';
import type { Log } from './kernel/telemetry/log.ts';
import type { Metrics } from './kernel/telemetry/metrics.ts';
import type { Tracer } from './kernel/telemetry/tracing.ts';

export type Context = {
  readonly config: Config;
  readonly db: Db;
  /** The replica that `readReplica` (request/read-replica.ts) reads; undefined without one in the settings. */
  readonly replica: Replica | undefined;
  /** The pool for a separate connection, as for copying many rows; see kernel/database/session.ts. */
  readonly pool: pg.Pool;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly mailer: Mailer;
  readonly metrics: Metrics;
  /** Starts the traces of requests and jobs; undefined unless they are sent to a collector. */
  readonly tracer: Tracer | undefined;
  /** Signs tokens of the service. Never used directly; see deriveKey in kernel/secrets/signed-token.ts. */
  readonly secret: string;
  /** The address at which players and developers reach the service, without a trailing slash. */
  readonly publicUrl: string;
  /** The registration of this process. When the process dies, others take over what it holds in the database. */
  readonly presence: Presence;
};

export type User = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
};

type AnonymousCaller = { readonly kind: 'anonymous' };
/** A credential by which a program acts for a person, with at most that person's rights. */
export type Agent = {
  /** A personal key for MCP clients, a program connected by OAuth, or an API token of a script. */
  readonly kind: 'key' | 'connection' | 'token';
  readonly id: string;
  /** The name given by the person or the program. */
  readonly name: string;
  /** The only games that it can access; null for all games of the person. */
  readonly gameIds: readonly string[] | null;
  readonly mayWrite: boolean;
};
/** A signed-in person, or with `agent`, a program that acts for them. */
export type AccountCaller = {
  readonly kind: 'account';
  readonly user: User;
  readonly agent?: Agent;
  /** The role that the called operation needs; owner if absent, so that a forgotten role opens nothing. */
  readonly neededRole?: Role;
  /**
   * How the session was started, or for a program, the session in which its credential was created; null if it was not
   * recorded.
   */
  readonly signInMethod: SignInMethod | null;
  /** When the session was started; absent for programs. */
  readonly signedInAt?: Date;
  /** Whether it is a login of the `chauffeur` command. */
  readonly isCommand?: boolean;
};

/**
 * A game, identified by its deploy key, with `token` by an upload token, or with `user` by the login of a person who
 * ships its builds, or with `apiToken` too by that person's API token of this name. `keyRef` is the beginning of the
 * access token, of the key of the login or of the API token.
 */
export type GameCaller = {
  readonly kind: 'game';
  readonly gameId: string;
  readonly keyRef: string;
  readonly user?: Pick<User, 'id' | 'name'>;
  readonly apiToken?: string;
  readonly token?: {
    readonly id: string;
    readonly name: string;
    readonly scopes: readonly UploadScope[];
    readonly expiresAt: Date | null;
  };
};
export type Caller = AnonymousCaller | AccountCaller | GameCaller;

export const ANONYMOUS: Caller = { kind: 'anonymous' };
