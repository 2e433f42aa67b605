// What every feature function is given: the context of the service, and who calls.
import type { Config } from './config.ts';
import type { BlobStore } from './kernel/blobs/store.ts';
import type { Clock } from './kernel/clock.ts';
import type { Db } from './kernel/db.ts';
import type { Log } from './kernel/log.ts';
import type { Mailer } from './kernel/mail.ts';
import type { Metrics } from './kernel/metrics.ts';
import type { Presence } from './kernel/presence.ts';

export type Context = {
  readonly config: Config;
  readonly db: Db;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly mailer: Mailer;
  readonly metrics: Metrics;
  /** Signs what the service hands out; never used as it is, see deriveKey in kernel/signed-token.ts. */
  readonly secret: string;
  /** Address that players and developers reach the service at, without a slash at its end. */
  readonly publicUrl: string;
  /** This process among the living: what it holds in the database, others take over when it dies. */
  readonly presence: Presence;
};

export type User = {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly emailVerified: boolean;
};

export type AnonymousCaller = { readonly kind: 'anonymous' };
/** A token by which a program acts for a person, with no more than their rights. */
export type Agent = {
  readonly kind: 'key' | 'connection';
  readonly id: string;
  /** What the person or the program itself calls it. */
  readonly name: string;
  /** The only game that it reaches; null for all of the person’s. */
  readonly gameId: string | null;
  readonly mayWrite: boolean;
};
/** A signed-in person; with `agent`, a program that acts for them. */
export type AccountCaller = { readonly kind: 'account'; readonly user: User; readonly agent?: Agent };
/** A game by its deploy key; `keyRef` is the first 8 characters of the access token. */
export type GameCaller = { readonly kind: 'game'; readonly gameId: string; readonly keyRef: string };
export type Caller = AnonymousCaller | AccountCaller | GameCaller;
