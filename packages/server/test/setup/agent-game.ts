// A game with everything that agents can read or change, and valid arguments for each tool.
import { sql } from 'kysely';
import { changed, rows } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { connect, makeKey } from './agents.ts';
import { addReport, type SharedGame } from './crash-reports.ts';
import { makeDsn } from './dsns.ts';
import { envelope, newEventId, sendEnvelope } from './envelopes.ts';
import { addPictures, named, picture } from './images.ts';
import { makeGame, makePlayer, request, signIn, type TestGame, type TestServer } from './server.ts';
import { addSymbols, symText, untilCompiled } from './symbols.ts';
import { shipAndScan } from './uploads.ts';
import { addVideo } from './videos.ts';

export type AgentGame = {
  readonly game: TestGame;
  /** The headers of the owner’s session. */
  readonly owner: { cookie: string };
  readonly organisationUid: string;
  readonly buildId: string;
  readonly fileUid: string;
  readonly crashId: string;
  /** The group of the crash, and another one. */
  readonly groupId: string;
  readonly otherGroupId: string;
  readonly bugUid: string;
  readonly imageUid: string;
  readonly videoUid: string;
  /** A pending approval of a deletion. */
  readonly approvalUid: string;
  /** a rollout on dev. */
  readonly rolloutId: string;
  readonly dsnId: string;
  /** An unregistered release. */
  readonly releaseId: string;
};

export async function makeAgentGame(server: TestServer): Promise<AgentGame> {
  const game = await makeGame(server);
  const owner = await signIn(server, game.owner);
  const { buildId, fileUid } = await shipAndScan(server, game, { version: '1.0', channel: 'beta' });
  const other = await shipAndScan(server, game, { version: '1.1', channel: 'beta' });
  await addSymbols(server, game, buildId, symText({}));
  await untilCompiled(server, game, buildId);
  const organisations = await request(`${server.api}/organisations`, { headers: owner });
  const report = { game: { uid: game.uid } as SharedGame, buildId };
  const otherCrashId = await addReport(server.ctx, { ...report, stack: ['Lamp::on', 'main'] });
  const crashId = await addReport(server.ctx, {
    ...report,
    message: 'it crashed',
    user_message: 'I opened the door',
    stack: ['World::tick', 'main'],
  });
  const [groupId, otherGroupId] = await Promise.all(
    [crashId, otherCrashId].map(async (id): Promise<string> => {
      const { body } = await request(`${server.api}/games/${game.uid}/crashes/${id}`, { headers: owner });
      return body.data.group_id;
    }),
  );
  const pictures = await addPictures(server, game, 'screenshot', [named('a.jpg', await picture())]);
  const player = await makePlayer(server);
  const bug = await request(`${server.api}/games/${game.uid}/bugs`, {
    method: 'POST',
    headers: { ...player.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'The door is stuck', build_id: buildId }),
  });
  await changed(server.ctx.db, sql`update builds set commit = 'abc1234' where game_id = ${game.uid}`);
  const trial = (path: string) =>
    request(`${server.api}/games/${game.uid}/channels/dev/${path}`, {
      method: 'POST',
      headers: { ...owner, 'content-type': 'application/json' },
      body: JSON.stringify({ version: path === 'rollouts' ? '1.1' : '1.0' }),
    });
  await trial('promote-version');
  const rollout = await trial('rollouts');
  const dsn = await makeDsn(server, game);
  const unregistered = JSON.stringify({ level: 'fatal', message: 'The lamp broke', release: 'lamp@dev' });
  await sendEnvelope({ server, ...dsn }, envelope({ event_id: newEventId() }, [[{ type: 'event' }, unregistered]]));
  const activity = await request(`${server.api}/games/${game.uid}/sentry-activity`, { headers: owner });
  const { key } = await makeKey(server, owner);
  const agent = await connect(server, key);
  const deletion = await agent.call('delete_build', { uid: game.uid, build_id: other.buildId });
  await agent.close();
  return {
    game,
    owner,
    organisationUid: organisations.body.data.organisations[0].organisation_uid,
    buildId,
    fileUid,
    crashId,
    groupId: groupId ?? '',
    otherGroupId: otherGroupId ?? '',
    bugUid: bug.body.data.bug_uid,
    imageUid: pictures[0] ?? '',
    videoUid: await addVideo(server, game),
    approvalUid: deletion.structuredContent.approval.uid,
    rolloutId: rollout.body.data.rollout_id,
    dsnId: dsn.dsnId,
    releaseId: activity.body.data.releases[0].release_id,
  };
}

type Call = {
  readonly args: Record<string, unknown>;
  /** The expected error code for callers with access; undefined if the call succeeds. */
  readonly code?: number;
  /** The expected error code for people without a role on the game; 4040 if absent, 0 if the call succeeds. */
  readonly strangerCode?: number;
};

/** A valid call of every tool. */
export function callsOf(studio: AgentGame): Record<string, Call> {
  const uid = studio.game.uid;
  const build = { uid, build_id: studio.buildId };
  const group = { uid, group_id: studio.groupId };
  const rollout = { uid, rollout_id: newId() };
  return {
    list_games: { args: {}, strangerCode: 0 },
    list_organisations: { args: {}, strangerCode: 0 },
    get_organisation: { args: { organisation: studio.organisationUid } },
    get_deploy_info: { args: { uid } },
    list_audit_log: { args: { uid } },
    list_organisation_audit_log: { args: { organisation: studio.organisationUid } },
    list_upload_tokens: { args: { uid } },
    list_dsns: { args: { uid } },
    get_sentry_activity: { args: { uid } },
    create_dsn: { args: { uid, name: 'Linux' } },
    rename_dsn: { args: { uid, dsn_id: studio.dsnId, name: 'macOS' } },
    revoke_dsn: { args: { uid, dsn_id: studio.dsnId } },
    assign_sentry_release: { args: { uid, release_id: studio.releaseId, build_id: studio.buildId } },
    list_game_builds: { args: { uid } },
    list_versions: { args: { uid } },
    get_version: { args: { uid, version: '1.0' } },
    get_game_overview: { args: { uid } },
    get_store_statistics: { args: { uid } },
    list_refusals: { args: { uid } },
    list_channels: { args: { uid } },
    list_rollouts: { args: { uid } },
    get_rollout: { args: { uid, rollout_id: studio.rolloutId } },
    list_game_crashes: { args: { uid } },
    list_crash_groups: { args: { uid } },
    get_crash_group: { args: group },
    list_crash_group_activity: { args: group },
    get_crash: { args: { uid, crash_id: studio.crashId } },
    get_crash_thread: { args: { uid, crash_id: studio.crashId, thread: '0' } },
    get_crash_breadcrumbs: { args: { uid, crash_id: studio.crashId } },
    request_crash_download: { args: { uid, crash_id: studio.crashId, kind: 'stack' } },
    list_bug_tickets: { args: { uid } },
    get_crash_impact: { args: { uid, group_id: studio.groupId } },
    get_build_health: { args: build },
    compare_build_health: { args: { ...build, other: studio.buildId } },
    compare_build_crashes: { args: { ...build, other: studio.buildId } },
    list_build_symbols: { args: build },
    // Players can read the record of any file they can download, but this one is on beta.
    get_build_provenance: { args: { uid, file_uid: studio.fileUid }, strangerCode: 4074 },
    list_media: { args: { uid } },
    list_videos: { args: { uid } },
    get_approval: { args: { uid: studio.approvalUid } },
    list_commits: { args: { ...build, since: studio.buildId } },
    update_bug_ticket: { args: { uid, bug_uid: studio.bugUid, status: 'fixed' } },
    update_crash_group: { args: { ...group, priority: 'high' } },
    change_crash_groups: { args: { uid, group_ids: [studio.groupId], status: 'ignored' } },
    undo_crash_group_change: { args: { uid, change_uid: newId() }, code: 4040 },
    comment_on_crash_group: { args: { ...group, comment: 'The lamp is null.' } },
    split_crash_group: { args: { ...group, function: 'no such function' }, code: 4002 },
    create_crash_group_issue: { args: group, code: 4002 },
    create_bug_ticket_issue: { args: { uid, bug_uid: studio.bugUid }, code: 4002 },
    merge_crash_groups: { args: { uid, group_ids: [studio.groupId, studio.otherGroupId], into: studio.groupId } },
    unmerge_crash_groups: { args: { ...group, group_ids: [studio.otherGroupId] } },
    promote_build: { args: { ...build, channel: 'beta' } },
    promote_version: { args: { uid, version: '1.0', channel: 'beta' } },
    undo_channel_change: { args: { uid, channel: 'beta', change_uid: newId() }, code: 4040 },
    start_rollout: { args: { uid, channel: 'beta', version: 'unknown' }, code: 4006 },
    pause_rollout: { args: rollout, code: 4040 },
    resume_rollout: { args: rollout, code: 4040 },
    set_rollout_share: { args: { ...rollout, share: 50 }, code: 4040 },
    finish_rollout: { args: rollout, code: 4040 },
    abort_rollout: { args: rollout, code: 4040 },
    rollback_channel: { args: { uid, channel: 'beta' } },
    delete_build: { args: build },
    delete_version: { args: { uid, version: '1.0' } },
    delete_build_symbols: { args: build },
    delete_media: { args: { uid, image: studio.imageUid } },
    delete_video: { args: { uid, video: studio.videoUid } },
    request_deploy_key: { args: { uid } },
    confirm_approval: { args: { uid: studio.approvalUid, code: '000000' }, code: 4216 },
  };
}

/** Reads the state that calls without permission must not change. The job of alerts clears `alert`. */
export function stateOf(server: TestServer, { game }: AgentGame): Promise<unknown[]> {
  return rows(
    server.ctx.db,
    sql`select
      (select jsonb_agg(to_jsonb(deploy_keys) - 'last_used_at' order by key_id) from deploy_keys where game_id = ${game.uid}) as keys,
      (select jsonb_agg(to_jsonb(channel_pointers)) from channel_pointers where game_id = ${game.uid}) as pointers,
      (select jsonb_agg(to_jsonb(crash_groups) - 'alert' order by group_id) from crash_groups where game_id = ${game.uid}) as groups,
      (select count(*) from crash_group_activity where game_id = ${game.uid}) as activity,
      (select jsonb_agg(to_jsonb(bug_tickets)) from bug_tickets where game_id = ${game.uid}) as bugs,
      (select jsonb_agg(to_jsonb(symbols)) from symbols where game_id = ${game.uid}) as symbols,
      (select jsonb_agg(to_jsonb(media)) from media where game_id = ${game.uid}) as media,
      (select jsonb_agg(to_jsonb(videos) - 'scan_state') from videos where game_id = ${game.uid}) as videos,
      (select jsonb_agg(to_jsonb(builds)) from builds where game_id = ${game.uid}) as builds,
      (select jsonb_agg(to_jsonb(dsns) - 'last_used_at' order by dsn_id) from dsns where game_id = ${game.uid}) as dsns,
      (select jsonb_agg(build_id order by report_id) from crash_reports where game_id = ${game.uid}) as builds_of_reports,
      (select jsonb_agg(to_jsonb(approvals)) from approvals where game_id = ${game.uid}) as approvals`,
  );
}
