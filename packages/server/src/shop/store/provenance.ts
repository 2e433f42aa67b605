// The record of where a file came from and how it was scanned.
import { errors } from '@chauffeur/contract/errors';
import * as contract from '@chauffeur/contract/operations/store';
import { pageOfWhole } from '../../request/cursor.ts';
import { handle } from '../../request/route.ts';
import { findBuild } from '../../ship/builds/builds.ts';
import { readEntries, readScanHistory } from '../../ship/files/files.sql.ts';
import { downloadNameOf } from './download-name.ts';
import { requireFile, requireOffered } from './store.ts';

export const getProvenance = handle(contract.getProvenance, async (ctx, { caller, input }) => {
  const { game, viewer, file } = await requireFile(ctx, caller, input);
  if (!viewer.isMember) await requireOffered(ctx, viewer, file);
  const [build, history, entries] = await Promise.all([
    findBuild(ctx.db, game.game_id, file.build_id),
    readScanHistory(ctx.db, file),
    readEntries(ctx.db, file),
  ]);
  if (build === null) throw errors.notFound('file_uid: this game has no such file.');
  const { items, ...next } = pageOfWhole(['provenance', file.file_id], entries, input);
  return {
    file_uid: file.file_id,
    game_uid: game.game_id,
    build_id: build.build_id,
    version: build.version,
    os: build.os,
    arch: build.arch,
    channel: build.channel,
    filename: file.filename,
    download_name: downloadNameOf(game.slug, build, file.filename),
    size: file.size,
    checksum: file.checksum,
    uploaded_at: file.uploaded_at.toISOString(),
    origin: file.origin,
    scan: { state: file.scan_state, history: history.map(({ at, ...event }) => ({ at: at.toISOString(), ...event })) },
    entries: [...items],
    ...next,
  };
});
