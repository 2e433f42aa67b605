// Creates a game with data of every kind, and finds what is left of it in the tables and the blob store.
import { sql } from 'kysely';
import { changed, rows } from '../../src/kernel/database/db.ts';
import { findGame } from '../../src/people/game-access/game-access.sql.ts';
import { requestApproval } from '../../src/team/approvals/approvals.ts';
import { connect, makeKey } from './agents.ts';
import { callApi, makeOwnedGame, type OwnedGame } from './api-calls.ts';
import { addReport, type SharedGame } from './crash-reports.ts';
import { addEventFile } from './event-files.ts';
import { send } from './events.ts';
import { addPictures, named, picture } from './images.ts';
import { makeAdmin, makePlayer, type TestServer } from './server.ts';
import { addSymbols, symText } from './symbols.ts';
import { until } from './until.ts';
import { sendChunk, ship, smallZip, startSession } from './uploads.ts';
import { addVideo } from './videos.ts';

export type FullGame = OwnedGame & {
  name: string;
  admin: Awaited<ReturnType<typeof makePlayer>>;
  buildId: string;
  fileUid: string;
  imageUid: string;
  videoUid: string;
  symbolsUrl: string;
  /** A personal key that is limited to the game. */
  agentKey: string;
  /** An open upload session that has received half of its zip. */
  session: { id: string; zip: Buffer };
};

const EVENT_OF_ALL_KINDS = { event: 'boot_ok', device_uid: 'd', ms: 5, event_id: 'e' };

/** Makes a game with two builds, media, symbols, crash reports, events, a bug ticket, members and pending requests. */
export async function makeFullGame(server: TestServer): Promise<FullGame> {
  const { game, owner } = await makeOwnedGame(server);
  const call = (headers: object, method: string, path: string, body?: object) =>
    callApi(server, headers, method, `/games/${game.uid}${path}`, body);
  const { name } = (await call(owner, 'GET', '')).body.data;
  const [admin, player] = [await makePlayer(server), await makePlayer(server)];
  await makeAdmin(server, game.uid, admin);
  const { buildId, fileUid } = await ship(server, game, { version: '1.0', channel: 'beta' });
  const { buildId: removed } = await ship(server, game, { version: '0.9' });
  const promotion = { channel: 'stable', build_id: buildId };
  // Repeated, because the workers of the server, if it has any, change the state as well.
  await until(async () => {
    await changed(server.ctx.db, sql`update files set scan_state = 'unscanned' where build_id = ${buildId}`);
    return (await call(owner, 'POST', '/channels/stable/promote', promotion)).status === 200;
  });
  await call(owner, 'DELETE', `/builds/${removed}`);
  await addSymbols(server, game, buildId, symText({}));
  const symbolsUrl = (await call(owner, 'POST', '/symbol-token')).body.data.symbols_url;
  const [imageUid = ''] = await addPictures(server, game, 'screenshot', [named('a.jpg', await picture())]);
  const videoUid = await addVideo(server, game);
  for (const message of ['one', 'two']) {
    const bytes = Buffer.from(message);
    const shared = { uid: game.uid } as SharedGame;
    const stack = [`World::${message}`, 'main'];
    await addReport(server.ctx, { game: shared, buildId, message, dump: bytes, log: bytes, stack });
  }
  await send({ server, game, buildId }, { events: [EVENT_OF_ALL_KINDS, { event: 'custom' }] });
  await call(owner, 'PUT', '/event-files', { enabled: true });
  await addEventFile(server, game.uid);
  await call(owner, 'DELETE', '/devices/left');
  await call(player.headers, 'POST', '/bugs', { message: 'stuck', build_id: buildId });
  await call(player.headers, 'PUT', '/beta');
  await call(owner, 'POST', '/invitations', { email: player.email });
  const storedGame = await findGame(server.ctx.db, game.uid);
  const user = { id: admin.id, name: 'Player', email: admin.email, emailVerified: true };
  const deletion = { game: storedGame!, action: 'delete_build', input: { build_id: buildId } } as const;
  await requestApproval(server.ctx, { user, via: 'Test agent' }, deletion);
  const { key } = await makeKey(server, owner, { game: game.slug });
  const agent = await connect(server, key);
  await agent.call('list_channels', { uid: game.uid });
  await agent.close();
  const zip = smallZip('later.bin', Buffer.alloc(2000, 1));
  const sessionId = await startSession(server, game, zip);
  await sendChunk(server, game, sessionId, zip, 0, 1000);
  const session = { id: sessionId, zip };
  return { game, name, owner, admin, buildId, fileUid, imageUid, videoUid, symbolsUrl, agentKey: key, session };
}

/** Counts the rows of the game in every table that has any. Tables come from the catalog, so new ones are included. */
export async function countRows(server: TestServer, gameId: string): Promise<Record<string, number>> {
  const tables = await rows(
    server.ctx.db,
    sql<{ name: string }>`select relname as name from pg_class join pg_attribute on attrelid = pg_class.oid
      where relkind in ('r', 'p') and not relispartition and relnamespace = current_schema()::regnamespace
        and attname = 'game_id' and not attisdropped
        -- Written a moment after the change that it is about, and read only for seconds.
        and relname <> 'game_changes'
      order by relname`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [result] = await rows(
      server.ctx.db,
      sql<{ count: number }>`select count(*) as count from ${sql.table(name)} where game_id = ${gameId}`,
    );
    if (result!.count > 0) counts[name] = result!.count;
  }
  return counts;
}

export async function listBlobKeys(server: TestServer): Promise<string[]> {
  const keys = await Array.fromAsync(server.ctx.blobs.list(''), ({ key }) => key);
  return keys.toSorted();
}

/** Keys of the game's blobs: keys that contain its id, and those of its crash reports. */
export async function listBlobKeysOf(server: TestServer, gameId: string): Promise<string[]> {
  const reports = await rows(
    server.ctx.db,
    sql<{ report_id: string }>`select report_id from crash_reports where game_id = ${gameId}`,
  );
  const ids = [gameId, ...reports.map(({ report_id }) => report_id)];
  return (await listBlobKeys(server)).filter((key) => ids.some((id) => key.includes(id)));
}
