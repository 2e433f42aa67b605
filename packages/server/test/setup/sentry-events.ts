// Reports with events of Sentry's SDKs, written as the routes write them, without a request.
import type { ReportKind } from '@chauffeur/contract/operations/crash-groups';
import type { SentryEvent } from '@chauffeur/sentry/event/event';
import { headlineOf, normalizeEvent } from '@chauffeur/sentry/event/normalize';
import { createReport } from '../../src/crash/crashes/receive/create.ts';
import { storeEvent } from '../../src/crash/crashes/report/event.ts';
import { blobStemOf } from '../../src/crash/crashes/report/files.ts';
import { bytesOfBuffer } from '../../src/kernel/blobs/byte-source.ts';
import { PACKED_SUFFIX, putPacked } from '../../src/kernel/blobs/packed.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { findGame } from '../../src/people/game-access/game-access.sql.ts';
import type { TestGame, TestServer } from './server.ts';

export type Sent = {
  readonly kind?: ReportKind;
  readonly dump?: Uint8Array;
  readonly metadata?: Record<string, string>;
  readonly deviceUid?: string;
};

/** Stores a report with the event that a client sent, or with a normalised one. Returns its id. */
export async function reportEvent(
  { ctx }: Pick<TestServer, 'ctx'>,
  { uid }: Pick<TestGame, 'uid'>,
  buildId: string,
  sent: object,
  { kind = 'crash', dump, metadata = {}, deviceUid }: Sent = {},
): Promise<string> {
  const event = 'exceptions' in sent ? (sent as SentryEvent) : normalizeEvent(sent);
  const reportId = newId(ctx.clock.now().getTime());
  const store = async (name: string, bytes: Uint8Array) => {
    const key = `${blobStemOf(reportId)}.${name}${PACKED_SUFFIX}`;
    return { key, ...(await putPacked(ctx.blobs, key, bytesOfBuffer(bytes), Number.POSITIVE_INFINITY)) };
  };
  const game = await findGame(ctx.db, uid);
  const { reportId: id } = await createReport(ctx, {
    gameId: game!.game_id,
    buildId,
    source: 'sentry',
    reportId,
    details: {
      message: headlineOf(event),
      os: event.system.os,
      metadata: { ...Object.fromEntries([...event.tags, ...event.system.facts]), ...metadata },
      ...(deviceUid !== undefined && { device_uid: deviceUid }),
    },
    event: { kind, ...(await storeEvent(ctx.blobs, reportId, event)), fingerprint: event.fingerprint },
    dump: dump === undefined ? null : await store('dmp', dump),
  });
  return id;
}
