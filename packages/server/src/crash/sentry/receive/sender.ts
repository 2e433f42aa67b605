// Finds out which game a request is for.

import type { IncomingHttpHeaders } from 'node:http';
import { errors } from '@chauffeur/contract/errors';
import { type Credentials, type RequestHead, readCredentials } from '@chauffeur/sentry/dsn/credentials';
import { SentryError } from '@chauffeur/sentry/error';
import type { Context } from '../../../context.ts';
import type { ByteSource } from '../../../kernel/blobs/store.ts';
import { SECOND } from '../../../kernel/clock.ts';
import { countPublicPost } from '../../../request/address-limit.ts';
import { type BodySource, receiveBody } from '../../../request/body.ts';
import { findDsn } from '../dsns/find-dsn.ts';
import { countWrongKey } from './counts.ts';

/** A request, or one that was deferred and has no address. */
export type SentryRequest = {
  readonly raw: BodySource;
  /** The body as it was sent, if it was already read. */
  readonly whole?: ByteSource;
  readonly headers: IncomingHttpHeaders;
  readonly ip: string;
};

/** Passes the body to `read`, undecoded. Rejects like `receiveBody`. */
export async function readBody<T>(
  ctx: Context,
  { raw, whole }: SentryRequest,
  maxBytes: number,
  read: (body: ByteSource) => Promise<T>,
): Promise<T> {
  if (whole !== undefined) return await read(whole);
  return await receiveBody(raw, { encoding: 'raw', maxBytes, idleMs: ctx.config.uploadIdleSeconds * SECOND }, read);
}

export type Sender = { readonly gameId: string; readonly dsnId: string };

/** The largest number of a project. */
const MAX_PROJECT = 2 ** 31 - 1;

/**
 * The game and the DSN. Throws `unknownDsn` without a key, and for a key that isn't one of the game, whether or not the
 * game or the key exists. Only such requests count for the limit of their address: many players may share one.
 */
export async function findSender(ctx: Context, request: { readonly ip: string }, head: RequestHead): Promise<Sender> {
  return await senderOf(ctx, request, credentialsOf(ctx, request, head));
}

/** Does the same if the head alone names a project and a key; null if it doesn't, since an envelope may have them. */
export async function findSenderOfHead(
  ctx: Context,
  request: { readonly ip: string },
  head: RequestHead,
): Promise<Sender | null> {
  const credentials = readOrNull(head);
  return credentials === null ? null : await senderOf(ctx, request, credentials);
}

async function senderOf(
  ctx: Context,
  request: { readonly ip: string },
  { key, project }: Credentials,
): Promise<Sender> {
  const projectNo = Number(project);
  const found = projectNo <= MAX_PROJECT ? await findDsn(ctx, { projectNo, key }) : undefined;
  if (found !== undefined) return found;
  countPublicPost(ctx, request);
  if (projectNo <= MAX_PROJECT) countWrongKey(ctx, { projectNo, key });
  throw errors.unknownDsn(
    'The key is not one of this project, or was revoked. Use the DSN in the settings of the game.',
  );
}

/** Throws `unknownDsn` unless the head names one project and a key. */
export function credentialsOf(ctx: Context, request: { readonly ip: string }, head: RequestHead): Credentials {
  try {
    return readCredentials(head);
  } catch (error) {
    if (!(error instanceof SentryError)) throw error;
    countPublicPost(ctx, request);
    throw errors.unknownDsn(error.message, { cause: error });
  }
}

function readOrNull(head: RequestHead): Credentials | null {
  try {
    return readCredentials(head);
  } catch (error) {
    if (error instanceof SentryError) return null;
    throw error;
  }
}
