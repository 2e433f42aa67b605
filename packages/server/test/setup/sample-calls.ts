// One successful call for each operation of the contract, and the objects that these calls need.
import { deflateSync } from 'node:zlib';
import { type Operation, pathOf } from '@chauffeur/contract/operation';
import { sql } from 'kysely';
import { changed, onlyRow } from '../../src/kernel/database/db.ts';
import { newId } from '../../src/kernel/secrets/ids.ts';
import { actionToken } from '../../src/notify/alerts/action-links.ts';
import { unsubscribeToken } from '../../src/notify/alerts/alert-rules.ts';
import { setUserOperator } from '../../src/people/accounts/accounts.ts';
import { blockToken, sendEmailJob } from '../../src/people/emails/emails.ts';
import { endLinks } from '../../src/shop/bugs/reporters.ts';
import { endAddress } from '../../src/shop/follows/follows.ts';
import { createDownloadLink } from '../../src/shop/store/store-requests.ts';
import { type AgentGame, makeAgentGame } from './agent-game.ts';
import { makeKey } from './agents.ts';
import { bundleOf } from './bundles.ts';
import { signInCommand, startLogin } from './cli-logins.ts';
import { readDumpFixture, reportCrash, untilDone } from './crash-dumps.ts';
import { makeDsn } from './dsns.ts';
import { envelope, newEventId, sendEnvelope } from './envelopes.ts';
import { addEventFile } from './event-files.ts';
import { issueCode, reopenSetup } from './first-run.ts';
import { addPictures, mediaForm, named, picture } from './images.ts';
import { mailTo } from './mail.ts';
import { connectProgram, registerClient } from './oauth.ts';
import { addPatch } from './patches.ts';
import { sampleBody } from './sample-body.ts';
import { makeAdmin, makeGame, makePlayer, request, signIn, type TestServer } from './server.ts';
import { sendSymbols, symText } from './symbols.ts';
import { startTracker } from './tracker.ts';
import { unrealArchive } from './unreal.ts';
import { until } from './until.ts';
import { formOf, register, sha256, shipAndScan, smallZip, startSession, uploadFields } from './uploads.ts';
import { addVideo, readVideoFixture, videoForm } from './videos.ts';
import { buildZip } from './zips.ts';

export type Call = {
  /** Values for the path that add to or replace `Samples.values`. */
  readonly path?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly headers?: Record<string, string>;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent unchanged. */
  readonly body?: BodyInit;
};

export type Samples = {
  readonly studio: AgentGame;
  /** Ids of existing objects, by the names of the path parameters. */
  readonly values: Readonly<Record<string, string>>;
  /** Prepares a call, for operations that need more than their path and a body made from its schema. */
  readonly calls: Readonly<Record<string, () => Call | Promise<Call>>>;
};

/** Prepares a successful call of the operation. */
export async function callOf({ calls }: Samples, operation: Operation): Promise<Call> {
  const { id, bodyKind = 'json' } = operation;
  return (await calls[id]?.()) ?? (bodyKind === 'json' ? { json: sampleBody(operation) } : {});
}

/** An id that no object has. */
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

type Credentials = Readonly<Record<string, string>>;

/**
 * The request of a call: the path below the API, with its query, and the rest. Parameters without a value are unknown.
 */
export function requestOf(
  operation: Operation,
  samples: Samples,
  call: Call,
  credentials: Credentials = credentialsOf(operation, samples),
): { path: string; init: RequestInit } {
  const unknown = Object.fromEntries(paramsOf(operation).map((name) => [name, UNKNOWN]));
  return {
    path: `${pathOf(operation, { ...unknown, ...samples.values, ...call.path })}?${new URLSearchParams(call.query)}`,
    init: {
      method: operation.method,
      redirect: 'manual',
      headers: {
        ...credentials,
        ...(call.json !== undefined && { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: call.json === undefined ? (call.body ?? null) : JSON.stringify(call.json),
    },
  };
}

/** The names of the parameters in the path. */
export function paramsOf({ params }: Operation): string[] {
  return Object.keys((params as { properties?: object } | undefined)?.properties ?? {});
}

/** Returns the credentials of the owner of the game, or its deploy key. */
function credentialsOf({ access }: Operation, { studio }: Samples): Credentials {
  if (access === 'public') return {};
  return access === 'deploy_key' ? studio.game.keyHeaders : studio.owner;
}

/** Called last, in this order, because they remove what the other calls need. */
export const LAST = [
  ...['channels.promoteWithKey', 'channels.promoteVersionWithKey', 'channels.rollbackWithKey'],
  ...['games.removeAdmin', 'builds.delete', 'deployKeys.issue'],
  ...['setup.createOperator', 'setup.claimOperator'],
];

/** Sorts the operations so that deletions come after the calls that need the deleted objects. */
export function inWorkingOrder(operations: readonly Operation[]): Operation[] {
  const rank = ({ id, method }: Operation) => (LAST.includes(id) ? 2 + LAST.indexOf(id) : method === 'DELETE' ? 1 : 0);
  return operations.toSorted((a, b) => rank(a) - rank(b));
}

export async function makeSamples(server: TestServer): Promise<Samples> {
  const studio = await makeAgentGame(server);
  const { game, owner, buildId, fileUid } = studio;
  await setUserOperator(server.ctx, game.owner.email, true);
  const player = await makePlayer(server);
  const web = await shipAndScan(
    server,
    game,
    { version: '2.0', os: 'web', arch: 'wasm32' },
    buildZip([{ name: 'index.html', data: '<!doctype html>' }]),
  );
  await addPatch(
    server,
    { gameId: game.uid, fileId: fileUid, fromFileId: web.fileUid },
    { pack: Buffer.from('a patch pack'), difference: Buffer.from('a difference'), blocks: 1000 },
  );
  const other = await makeGame(server);
  const deletable = await register(server, game, { version: '0.1' });
  const crashId = await reportCrash(server, game, buildId, { dump: readDumpFixture('null_deref_inline') });
  await untilDone(server, crashId);
  const asOwner = { ...owner, 'content-type': 'application/json' };
  const call = (method: string, path: string, body?: unknown) =>
    request(`${server.api}${path}`, {
      method,
      headers: asOwner,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const sender = { 'x-app-id': game.uid, 'x-build-id': buildId };
  const newReport = async (fields: object) =>
    (
      await request(`${server.api}/public/crashes`, {
        method: 'POST',
        headers: { ...sender, 'content-type': 'application/json' },
        body: JSON.stringify(fields),
      })
    ).body.data;
  const ticket = (await call('POST', `/games/${game.uid}/bugs`, { message: 'The lamp is dark', screenshots: 3 })).body
    .data;
  const unlinked = (await call('POST', `/games/${game.uid}/bugs`, { message: 'The lamp is too bright' })).body.data;
  const screenshotUrls: string[] = ticket.uploads.screenshots.map(({ url }: { url: string }) => url);
  const sendScreenshot = async () =>
    request(screenshotUrls.pop()!, { method: 'PUT', body: (await picture()) as Uint8Array<ArrayBuffer> });
  const shownScreenshot = () =>
    until(async () => {
      const [shot] = (await call('GET', `/games/${game.uid}/bugs/${ticket.bug_uid}`)).body.data.screenshots;
      if (shot === undefined) await sendScreenshot();
      return shot?.image != null && (shot.screenshot_uid as string);
    });
  /** The file of a ticket from one of Sentry's SDKs. */
  const sendAttached = async () => {
    const dsn = await makeDsn(server, game);
    const words = { contexts: { feedback: { message: 'The lamp hums' } } };
    const items = [
      [{ type: 'feedback' }, JSON.stringify(words)],
      [{ type: 'attachment', filename: 'save.json' }, '{}'],
    ] as const;
    await sendEnvelope({ server, ...dsn }, envelope({ event_id: newEventId() }, items));
    const [{ bug_uid }] = (await call('GET', `/games/${game.uid}/bugs?text=hums`)).body.data.bugs;
    const { attachments } = (await call('GET', `/games/${game.uid}/bugs/${bug_uid}`)).body.data;
    return { path: { bug_uid, attachment_uid: attachments[0].attachment_uid } };
  };
  // Sent before the calls, because it adds to the list of tickets.
  const attachment = await sendAttached();
  const unregisteredRelease = async () => {
    const dsn = await makeDsn(server, game);
    // Events of a release that was assigned belong to its build.
    const sent = `lamp@0.0.1+${newEventId()}`;
    const event = { level: 'fatal', message: 'The lamp broke', release: sent };
    await sendEnvelope(
      { server, ...dsn },
      envelope({ event_id: newEventId() }, [[{ type: 'event' }, JSON.stringify(event)]]),
    );
    const { releases } = (await call('GET', `/games/${game.uid}/sentry-activity`)).body.data;
    return releases.find(({ release }: { release: string }) => release === sent).release_id as string;
  };
  const readable = async () => {
    const report = await newReport({ has_dump: true });
    await request(report.uploads.dump.url, { method: 'PUT', body: Buffer.from(readDumpFixture('null_deref_inline')) });
    await untilDone(server, report.id);
    return { path: { id: report.id }, query: { read_token: report.read_token } };
  };
  const attached = async (name: string, content: string | Buffer) => {
    const { id, uploads } = await newReport({ attachments: [{ name }] });
    await request(uploads.attachments[0].url, { method: 'PUT', body: content as string | Uint8Array<ArrayBuffer> });
    await until(async () => {
      const [file] = (await call('GET', `/games/${game.uid}/crashes/${id}`)).body.data.attachments;
      return file.kind === 'text' || file.image !== null;
    });
    return { path: { crash_id: id, attachment: '0' } };
  };
  let rolloutChannels = 0;
  /** A channel with version 1.0, on which version 9.0 can be rolled out. */
  const channelToRollOut = async (): Promise<string> => {
    await shipAndScan(server, game, { version: '9.0', channel: 'dev' });
    rolloutChannels += 1;
    const channel = `rollouts-${rolloutChannels}`;
    await call('POST', `/games/${game.uid}/channels/${channel}/promote-version`, { version: '1.0' });
    return channel;
  };
  const startRollout = async () => ({
    path: { channel: await channelToRollOut() },
    json: { version: '9.0', platforms: [{ os: 'linux', arch: 'x86_64' }] },
  });
  const newRollout = async (): Promise<string> => {
    const { path, json } = await startRollout();
    return (await call('POST', `/games/${game.uid}/channels/${path.channel}/rollouts`, json)).body.data.rollout_id;
  };
  const ofRollout = async () => ({ path: { rollout_id: await newRollout() } });
  const ofPausedRollout = async () => {
    const found = await ofRollout();
    await call('POST', `/games/${game.uid}/rollouts/${found.path.rollout_id}/pause`);
    return found;
  };
  const shareOfRollout = async () => ({ ...(await ofRollout()), json: { share: 50 } });
  const pictures = async () => addPictures(server, game, 'screenshot', [named('b.jpg', await picture())]);
  const gallery = async () =>
    (await call('GET', `/games/${game.uid}/media`)).body.data.gallery.map(({ uid }: { uid: string }) => uid);
  const videos = async () =>
    (await call('GET', `/games/${game.uid}/videos`)).body.data.videos.map(({ uid }: { uid: string }) => uid);
  const firstVideo = async () => (await videos())[0] ?? (await addVideo(server, game));
  /** A game has only a few videos. */
  const newVideo = async () => {
    for (const uid of await videos()) await call('DELETE', `/games/${game.uid}/videos/${uid}`);
    return videoForm(await readVideoFixture('vp9.mp4'));
  };
  const playableVideo = async () => {
    const uid = await firstVideo();
    await changed(server.ctx.db, sql`update videos set scan_state = 'clean' where video_id = ${uid}`);
    return uid;
  };
  const invited = async () => {
    const person = await makePlayer(server);
    const { body } = await call('POST', `/games/${game.uid}/invitations`, { email: person.email });
    const { text } = await mailTo(server, person.email, /^Invitation to/);
    const [, token = ''] = /\/invitations\/(\w+)/.exec(text) ?? [];
    return { person, token, invitationUid: body.data.invitation_uid as string };
  };
  const respondAsInvited = async () => {
    const { person, token } = await invited();
    return { path: { token }, headers: person.headers };
  };
  const { organisations } = (await call('GET', '/organisations')).body.data;
  const organisationUid: string = organisations[0].organisation_uid;
  const newOrganisation = async (): Promise<string> =>
    (await call('POST', '/organisations', { name: 'Short-lived' })).body.data.organisation_uid;
  const invitedToTeam = async () => {
    const person = await makePlayer(server);
    const invitation = { email: person.email, role: 'viewer' };
    const { body } = await call('POST', `/organisations/${organisationUid}/invitations`, invitation);
    const { text } = await mailTo(server, person.email, /^Invitation to/);
    const [, token = ''] = /\/invitations\/(\w+)/.exec(text) ?? [];
    return { person, token, invitationUid: body.data.invitation_uid as string };
  };
  const newTeamMember = async () => {
    const { person, token } = await invitedToTeam();
    await request(`${server.api}/invitations/${token}/accept`, { method: 'POST', headers: person.headers });
    return { user_id: person.id };
  };
  const groups = (await call('GET', `/games/${game.uid}/crash-groups`)).body.data.groups;
  const newGroup = async (): Promise<string> => {
    const { id } = await newReport({ message: `Error ${newId().replaceAll(/\d/g, 'x')}` });
    const report = await until(async () => {
      const { body } = await call('GET', `/games/${game.uid}/crashes/${id}`);
      return body.data.group_id === null ? undefined : body.data;
    });
    return report.group_id;
  };
  const newBuild = async (commit: string): Promise<string> => {
    const { body } = await request(`${server.api}/tool/upload/build`, {
      method: 'POST',
      headers: { ...game.keyHeaders, 'content-type': 'application/json' },
      body: JSON.stringify({ version: commit, os: 'linux', arch: 'x86_64', commit }),
    });
    return body.data.build_id;
  };
  const newComment = async () => {
    const groupId = await newGroup();
    const { body } = await call('POST', `/games/${game.uid}/crash-groups/${groupId}/comments`, { comment: 'Mine' });
    return { group_id: groupId, activity_uid: body.data.activity_uid };
  };
  const newSetupCode = async () => {
    await reopenSetup(server);
    return issueCode(server);
  };
  const zip = smallZip();
  const mail = await mailTo(server, game.owner.email, /^Approve/);
  const address = 'https://localhost:1/alerts';
  const addDestination = async (): Promise<string> => {
    const fields = { kind: 'webhook', name: 'Our chat', url: address, send_test: false };
    const { body } = await call('POST', `/games/${game.uid}/alert-destinations`, fields);
    return body.data.destination.destination_uid;
  };
  const destinationUid = await addDestination();
  const tested = await call('POST', `/games/${game.uid}/alert-destinations/${destinationUid}/test`);
  const createdToken = await request(`${server.api}/games/${game.uid}/upload-tokens`, {
    method: 'POST',
    headers: { ...owner, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'CI', scopes: ['builds'], expires_in_days: null }),
  });
  const dsn = (await call('POST', `/games/${game.uid}/dsns`, { name: 'Windows' })).body.data;
  const values = {
    dsn_id: dsn.dsn_id,
    token_id: createdToken.body.data.token_id,
    uid: game.uid,
    organisation: organisationUid,
    destination_uid: destinationUid,
    delivery_uid: tested.body.data.delivery_uid,
    build_id: buildId,
    file_uid: fileUid,
    from_file_uid: web.fileUid,
    crash_id: crashId,
    thread: '0',
    attachment: '0',
    group_id: groups[0].group_id,
    bug_uid: studio.bugUid,
    screenshot_uid: newId(),
    channel: 'beta',
    device_uid: 'device-1',
    shelf: 'new',
    part: 'storage',
    user_id: player.id,
    handle: `ada-${newId().slice(-12)}`,
  };
  const draftListing = {
    ...{ name: 'Owls', tagline: 'A flight', description: 'At night.', tags: ['night'] },
    ...{ links: [], languages: ['en'], requirements: [], content_notes: [] },
  };
  const approval = { path: { uid: studio.approvalUid } };
  const calls: Samples['calls'] = {
    'builds.register': () => ({ json: { version: '3.0', os: 'linux', arch: 'x86_64' } }),
    'uploads.file': () => ({ body: formOf({ ...uploadFields(buildId, zip), channel: 'beta' }, zip) }),
    'uploads.openSession': () => ({
      body: new URLSearchParams({
        ...uploadFields(buildId, zip),
        channel: 'beta',
        filename: 'game.zip',
        total_size: String(zip.length),
      }),
    }),
    'uploads.getSession': async () => ({ path: { session_id: await startSession(server, game, zip) } }),
    'uploads.plan': () => ({ query: { build_id: buildId }, body: bundleOf({}).packedRecipe }),
    'uploads.abortSession': async () => ({ path: { session_id: await startSession(server, game, zip) } }),
    'media.add': async () => ({ body: mediaForm('cover', [named('cover.jpg', await picture())]) }),
    'media.addToGame': async () => ({ body: mediaForm('cover', [named('cover.jpg', await picture())]) }),
    'media.delete': async () => ({ path: { uid: (await pictures())[0] ?? '' } }),
    'media.deleteOfGame': async () => ({ path: { image: (await pictures())[0] ?? '' } }),
    'media.order': async () => ({ json: { order: await gallery() } }),
    'media.orderOfGame': async () => ({ json: { order: await gallery() } }),
    'media.download': () => ({ path: { uid: studio.imageUid } }),
    'videos.add': async () => ({ body: await newVideo() }),
    'videos.addToGame': async () => ({ body: await newVideo() }),
    'videos.delete': async () => ({ path: { uid: await firstVideo() } }),
    'videos.deleteOfGame': async () => ({ path: { video: await firstVideo() } }),
    'videos.order': async () => ({ json: { order: await videos() } }),
    'videos.orderOfGame': async () => ({ json: { order: await videos() } }),
    'videos.download': async () => ({ path: { uid: await playableVideo() } }),
    'symbols.upload': () => {
      const file = symText({ file: 'libother.so' });
      return { body: formOf({ build_id: buildId, checksum: sha256(file) }, file, { filename: 'other.sym' }) };
    },
    'symbols.list': () => ({ query: { build_id: buildId } }),
    'symbols.read': async () => {
      const { body } = await call('POST', `/games/${game.uid}/symbol-token`);
      await sendSymbols(server, game, buildId, symText({}));
      const { symbols } = (await call('GET', `/games/${game.uid}/builds/${buildId}/symbols`)).body.data;
      const { debug_file, debug_id } = symbols.find(
        (symbol: { debug_file: string }) => symbol.debug_file === 'libgame.so',
      );
      const token = new URL(body.data.symbols_url).pathname.split('/').at(-1) ?? '';
      return { path: { token, debug_file, debug_id, name: `${debug_file}.sym` } };
    },
    'crashes.create': () => ({ headers: sender, json: { message: 'It broke', has_dump: true, has_log: true } }),
    'crashes.createUnreal': () => ({
      headers: sender,
      body: deflateSync(
        unrealArchive([{ name: 'CrashContext.runtime-xml', content: Buffer.from('<FGenericCrashContext/>') }], {
          marked: true,
        }),
      ) as Uint8Array<ArrayBuffer>,
    }),
    'crashes.upload': async () => {
      const { uploads } = await newReport({ has_log: true });
      return { path: { token: uploads.log.url.split('/').at(-1) }, body: 'the log' };
    },
    'crashes.getPublic': readable,
    'crashes.getPublicStack': readable,
    'crashes.getLog': async () => {
      const { id, uploads } = await newReport({ has_log: true });
      await request(uploads.log.url, { method: 'PUT', body: 'the log' });
      return { path: { crash_id: id } };
    },
    'crashes.getAttachment': () => attached('notes.json', '{}'),
    'crashes.getAttachmentImage': async () => attached('screen.jpg', await picture()),
    'crashes.delete': async () => ({ path: { crash_id: (await newReport({})).id } }),
    'crashes.updateGroup': () => ({ json: { status: 'resolved' } }),
    'crashes.changeGroups': () => ({ json: { group_ids: [groups[0].group_id], status: 'ignored' } }),
    'crashes.undoChange': async () => {
      const change = { group_ids: [await newGroup()], priority: 'high' };
      const { body } = await call('POST', `/games/${game.uid}/crash-groups/changes`, change);
      return { path: { change_uid: body.data.change_uid } };
    },
    'crashes.mergeGroups': async () => ({ json: { group_ids: [await newGroup(), await newGroup()] } }),
    'crashes.unmergeGroups': async () => {
      const [into, other] = [await newGroup(), await newGroup()];
      await call('POST', `/games/${game.uid}/crash-groups/merge`, { group_ids: [into, other], into });
      return { path: { group_id: into }, json: { group_ids: [other] } };
    },
    'crashes.splitGroup': () => ({ path: { group_id: studio.groupId }, json: { function: 'main' } }),
    'crashes.addComment': () => ({ json: { comment: 'The lamp is null after a reload.' } }),
    'crashes.updateComment': async () => ({ path: await newComment(), json: { comment: 'It is the door.' } }),
    'crashes.deleteComment': async () => ({ path: await newComment() }),
    'crashes.saveSearch': () => ({ json: { name: 'Mine', query: 'assigned:me', view: 'groups' } }),
    'crashes.deleteSearch': async () => {
      const search = { name: 'Unwanted', query: 'is:open', view: 'groups' };
      const { body } = await call('POST', `/games/${game.uid}/crash-searches`, search);
      return { path: { search_uid: body.data.search_uid } };
    },
    'crashes.setGroupingRules': () => ({ json: { rules: [{ frames: 'Log::*', effect: 'irrelevant' }] } }),
    'crashes.previewGroupingRules': () => ({ json: { rules: [{ frames: 'Log::*', effect: 'irrelevant' }] } }),
    'bugs.createIssue': async () => {
      const tracker = await startTracker();
      const settings = { kind: 'github', base_url: tracker.url, project: 'owls/north', token: 'secret' };
      await call('PUT', `/games/${game.uid}/issue-tracker`, settings);
      return { path: { bug_uid: unlinked.bug_uid }, json: {} };
    },
    'crashes.createIssue': async () => {
      const tracker = await startTracker();
      const settings = { kind: 'github', base_url: tracker.url, project: 'owls/north', token: 'secret' };
      await call('PUT', `/games/${game.uid}/issue-tracker`, settings);
      return { path: { group_id: await newGroup() }, json: {} };
    },
    'versions.deletion': () => ({ query: { version: '1.0' } }),
    'versions.delete': async () => {
      await register(server, game, { version: 'unwanted' });
      return { json: { version: 'unwanted' } };
    },
    'versions.get': () => ({ query: { version: '1.0' } }),
    'versions.getWithKey': () => ({ query: { version: '1.0' } }),
    'health.compare': () => ({ query: { other: buildId } }),
    'health.compareCrashes': () => ({ query: { other: buildId } }),
    'source.commits': async () => {
      const tracker = await startTracker();
      tracker.answer = { status: 200, body: JSON.stringify({ commits: [{ sha: 'abc1234' }], total_commits: 1 }) };
      const settings = { kind: 'github', base_url: tracker.url, project: 'owls/north', token: 'secret' };
      await call('PUT', `/games/${game.uid}/issue-tracker`, settings);
      const [since, build_id] = [await newBuild('abc1234'), await newBuild('beef')];
      return { path: { build_id }, query: { since } };
    },
    'source.setSettings': () => ({
      json: { url_template: 'https://localhost/{commit}/{path}', path_prefixes: ['/ci'] },
    }),
    'issueTracker.set': () => ({ json: { kind: 'other', url_template: 'https://localhost/new?title={title}' } }),
    'crashes.download': async () => {
      const { body } = await call('POST', `/games/${game.uid}/crashes/${crashId}/downloads`, { kind: 'dump' });
      return { path: { token: body.data.url.split('/').at(-1) } };
    },
    'events.downloadFile': async () => ({ path: { file_uid: await addEventFile(server, game.uid) } }),
    'events.deleteFiles': () => ({ query: { before: '2026-11-30' } }),
    'events.create': () => ({
      headers: sender,
      json: { events: [{ event: 'boot_ok', device_uid: 'device-1', ms: 9 }] },
    }),
    'bugs.file': () => ({ json: { message: 'The door is stuck', build_id: buildId, has_dump: true, has_log: true } }),
    'bugs.uploadScreenshot': async () => ({
      path: { token: screenshotUrls.pop()?.split('/').at(-1) ?? '' },
      body: new Blob([(await picture()) as Uint8Array<ArrayBuffer>]),
    }),
    'bugs.getScreenshot': async () => ({
      path: { bug_uid: ticket.bug_uid, screenshot_uid: await shownScreenshot() },
    }),
    'bugs.getAttachment': () => attachment,
    'dsns.assignRelease': async () => ({
      path: { release_id: await unregisteredRelease() },
      json: { build_id: buildId },
    }),
    'bugs.fileAsGuest': () => ({ json: { message: 'The door is stuck', name: 'Robin', email: 'robin@example.com' } }),
    'bugs.update': () => ({ json: { status: 'fixed', labels: ['doors'] } }),
    'bugs.reply': () => ({ json: { message: 'Fixed in 1.2' } }),
    'bugs.setSettings': () => ({ json: { guests: true } }),
    'games.checkSlug': () => ({ path: { slug: 'never-used' } }),
    'alerts.update': () => ({ json: { digest_at: '08:00', rules: [{ kind: 'spike', send: 'digest' }] } }),
    'alerts.getAction': () => ({
      path: {
        token: actionToken(server.ctx, { gameId: game.uid, groupId: groups[0].group_id, action: 'resolve' }),
      },
    }),
    'alerts.unsubscribe': () => ({ query: { token: unsubscribeToken(server.ctx, game.uid, game.owner.id) } }),
    'alerts.addDestination': () => ({ json: { kind: 'slack', name: 'Our chat', url: address, send_test: false } }),
    'alerts.updateDestination': () => ({ json: { name: 'Their chat' } }),
    'alerts.deleteDestination': async () => ({ path: { destination_uid: await addDestination() } }),
    'follows.request': () => ({ json: { email: 'reader@example.com' } }),
    'follows.confirm': async () => {
      await call('POST', `/public/games/${game.uid}/follow`, { email: 'listener@example.com' });
      const { text } = await mailTo(server, 'listener@example.com', /^Confirm that you follow/);
      return { json: { token: /\/follow\/([\w-]+)/.exec(text)?.[1] } };
    },
    'follows.end': () => ({
      query: tokenOf(endAddress(server.ctx, newId())),
    }),
    'bugs.confirmReplies': async () => {
      const email = 'finder@example.com';
      await call('POST', `/public/games/${game.uid}/bugs`, { message: 'The lamp stays dark', email });
      const { text } = await mailTo(server, email, /^Confirm your address/);
      return { json: { token: /\/confirm-replies\/([\w-]+)/.exec(text)?.[1] } };
    },
    'bugs.endReplies': () => ({ query: tokenOf(endLinks(server.ctx, game.uid, 'finder@example.com').end) }),
    'accounts.blockMails': () => ({ query: { token: blockToken(server.ctx, 'finder') } }),
    'games.saveDraft': () => ({ json: draftListing }),
    'games.publishDraft': async () => {
      await call('PUT', `/games/${game.uid}/draft`, draftListing);
      return {};
    },
    'moderation.report': () => ({ json: { reason: 'stolen', message: 'The drawings are mine.' } }),
    'moderation.dismiss': () => ({ path: { uid: other.uid } }),
    'moderation.hide': () => ({ path: { uid: other.uid }, json: { reason: 'Stolen drawings' } }),
    'moderation.restore': () => ({ path: { uid: other.uid } }),
    'operator.setFeatured': () => ({ json: { game: null } }),
    'store.download': () => ({ headers: game.keyHeaders }),
    'files.manifest': () => ({}),
    'store.manifest': () => ({ headers: game.keyHeaders }),
    'store.manifestDifference': () => ({ headers: game.keyHeaders }),
    'store.patch': () => ({ headers: game.keyHeaders }),
    'store.downloadByLink': () => {
      const config = { ...server.ctx.config, downloadUrl: 'https://downloads.example.com' };
      const link = createDownloadLink({ ...server.ctx, config }, { gameId: game.uid, fileId: web.fileUid });
      return { path: { token: link?.split('/').at(-1) ?? '' } };
    },
    'store.renderMarkdown': () => ({ json: { text: 'A **long** walk' } }),
    'store.provenance': () => ({ headers: game.keyHeaders }),
    'play.get': () => ({ path: { file_uid: web.fileUid } }),
    'accounts.updateProfile': () => ({ json: { handle: values.handle } }),
    'store.developer': async () => {
      await call('PATCH', '/profile', { handle: values.handle });
      return {};
    },
    'games.watch': () => ({ query: { seconds: '1' } }),
    'games.create': () => ({ json: { name: 'Another game' } }),
    'games.update': () => ({ json: { tagline: 'A game about doors' } }),
    'games.leave': async () => {
      const { person, token } = await invited();
      await request(`${server.api}/invitations/${token}/accept`, { method: 'POST', headers: person.headers });
      return { headers: person.headers };
    },
    'games.delete': async () => {
      const own = await makeGame(server);
      const headers = await signIn(server, own.owner);
      const { body } = await request(`${server.api}/games/${own.uid}`, { headers });
      return { path: { uid: own.uid }, headers, json: { name: body.data.name, password: own.owner.password } };
    },
    'credentials.revoke': () => ({ json: {} }),
    'credentials.revokeAfterReset': async () => ({ json: { token: await revokeTokenAfterReset(server) } }),
    'organisations.create': () => ({ json: { name: 'Owls' } }),
    'organisations.update': () => ({ json: { name: 'Owls and sons' } }),
    'organisations.requireSignIn': () => ({ json: { required_sign_in: null } }),
    'organisations.delete': async () => ({ path: { organisation: await newOrganisation() } }),
    'organisations.setRole': async () => ({ path: await newTeamMember(), json: { role: 'developer' } }),
    'organisations.removeMember': async () => ({ path: await newTeamMember() }),
    'organisations.leave': async () => {
      const { person, token } = await invitedToTeam();
      await request(`${server.api}/invitations/${token}/accept`, { method: 'POST', headers: person.headers });
      return { headers: person.headers };
    },
    'organisations.moveGame': async () => ({ json: { organisation: organisationUid } }),
    'organisations.invite': () => ({ json: { email: `${newId()}@example.com`, role: 'viewer' } }),
    'organisations.resendInvitation': async () => {
      const { invitationUid } = await invitedToTeam();
      await changed(
        server.ctx.db,
        sql`update team_invitations set sent_at = sent_at - interval '2 minutes' where invitation_id = ${invitationUid}`,
      );
      return { path: { invitation_uid: invitationUid } };
    },
    'organisations.withdrawInvitation': async () => ({
      path: { invitation_uid: (await invitedToTeam()).invitationUid },
    }),
    'invitations.inviteAdmin': () => ({ json: { email: `${newId()}@example.com` } }),
    'invitations.offerTransfer': () => ({ json: { email: `${newId()}@example.com`, password: game.owner.password } }),
    'invitations.resend': async () => {
      const { invitationUid } = await invited();
      // An invitation can be resent after a minute at the earliest.
      await changed(
        server.ctx.db,
        sql`update game_invitations set sent_at = sent_at - interval '2 minutes' where invitation_id = ${invitationUid}`,
      );
      return { path: { invitation_uid: invitationUid } };
    },
    'games.setRole': async () => {
      await makeAdmin(server, game.uid, player);
      return { json: { role: 'developer' } };
    },
    'games.removeAdmin': async () => {
      await makeAdmin(server, game.uid, player);
      return {};
    },
    'invitations.withdraw': async () => ({ path: { invitation_uid: (await invited()).invitationUid } }),
    'invitations.get': respondAsInvited,
    'invitations.accept': respondAsInvited,
    'invitations.decline': respondAsInvited,
    'builds.delete': () => ({ path: { build_id: deletable } }),
    'approvals.get': () => approval,
    'approvals.confirm': () => ({
      ...approval,
      json: { code: /Confirmation code: (\d{6})/.exec(mail.text.replace(/\s+/g, ' '))?.[1] },
    }),
    'approvals.decide': () => ({ ...approval, json: { approve: true } }),
    'channels.promote': () => ({ json: { build_id: buildId } }),
    'channels.promoteWithKey': () => ({ json: { build_id: buildId } }),
    'channels.promoteVersion': () => ({ json: { version: '1.0' } }),
    'channels.promoteVersionWithKey': () => ({ json: { version: '1.0' } }),
    'channels.undo': async () => {
      await shipAndScan(server, game, { version: '1.4', channel: 'beta' });
      const { body } = await request(`${server.api}/games/${game.uid}/channels/beta/history`, { headers: owner });
      return { json: { change_uid: body.data.moves[0].change_uid } };
    },
    'rollouts.get': ofRollout,
    'rollouts.getWithKey': ofRollout,
    'rollouts.start': startRollout,
    'rollouts.startWithKey': startRollout,
    'rollouts.pause': ofRollout,
    'rollouts.pauseWithKey': ofRollout,
    'rollouts.resume': ofPausedRollout,
    'rollouts.resumeWithKey': ofPausedRollout,
    'rollouts.share': shareOfRollout,
    'rollouts.shareWithKey': shareOfRollout,
    'rollouts.finish': ofRollout,
    'rollouts.finishWithKey': ofRollout,
    'rollouts.abort': ofRollout,
    'rollouts.abortWithKey': ofRollout,
    'store.update': () => ({ query: { build_id: buildId } }),
    'channels.rollbackWithKey': async () => {
      await shipAndScan(server, game, { version: '1.3', channel: 'beta' });
      return { json: {} };
    },
    'channels.rollback': async () => {
      await shipAndScan(server, game, { version: '1.2', channel: 'beta' });
      return { json: {} };
    },
    'apiTokens.create': () => ({ json: { name: 'My script', scopes: ['builds:read'], games: null } }),
    'apiTokens.revoke': async () => {
      const { body } = await call('POST', '/account/api-tokens', {
        name: 'My script',
        scopes: ['builds:read'],
        games: null,
      });
      return { path: { token_id: body.data.token_id } };
    },
    'agents.createKey': () => ({ json: { name: 'My agent', may_write: false } }),
    'agents.revokeKey': async () => ({ path: { key_id: (await makeKey(server, owner)).key_id } }),
    'agents.client': async () => ({ query: { client_id: (await registerClient(server)).client_id } }),
    'agents.connect': async () => ({
      json: { client_id: (await registerClient(server)).client_id, may_write: false },
    }),
    'agents.disconnect': async () => {
      await connectProgram(server, owner.cookie);
      const { body } = await call('GET', '/account/agent-connections');
      return { path: { connection_id: body.data.connections[0].connection_id } };
    },
    'cliLogins.start': () => ({ json: { host: 'workstation', os: 'Linux' } }),
    'cliLogins.poll': () => ({ json: { device_code: 'unknown' } }),
    'cliLogins.end': () => ({ json: { key: 'unknown' } }),
    'cliLogins.getRequest': async () => ({ path: { user_code: (await startLogin(server)).user_code } }),
    'cliLogins.decide': async () => ({
      path: { user_code: (await startLogin(server)).user_code },
      json: { approve: true },
    }),
    'cliLogins.revoke': async () => {
      const { key_ref } = await signInCommand(server, owner);
      const { logins } = (await call('GET', '/account/cli-logins')).body.data;
      return {
        path: { login_id: logins.find((login: { key_ref: string }) => login.key_ref === key_ref).login_id },
      };
    },
    'operator.retryJobs': () => ({ json: {} }),
    'operator.deleteJob': async () => ({ path: { job_id: await addFailedJob(server) } }),
    'setup.createOperator': async () => {
      const email = `${newId()}@example.com`;
      return { json: { code: await newSetupCode(), name: 'Olga', email, password: 'correct horse battery' } };
    },
    'setup.claimOperator': async () => ({ json: { code: await newSetupCode() } }),
    'setup.testAddress': () => ({ query: { nonce: '1' }, body: 'x'.repeat(1000) }),
    'operator.signOut': async () => ({ path: { user_id: (await makePlayer(server)).id } }),
  };
  return { studio, values, calls };
}

/** Resets the password of an owner. Returns the token that revokes the deploy keys of their games. */
async function revokeTokenAfterReset(server: TestServer): Promise<string> {
  const { owner } = await makeGame(server);
  const post = (path: string, body: object) =>
    fetch(`${server.url}/api/auth${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: server.url },
      body: JSON.stringify(body),
    });
  await post('/request-password-reset', { email: owner.email, redirectTo: '/reset' });
  const { link } = await mailTo(server, owner.email, /new Chauffeur password/);
  const opened = await fetch(link, { redirect: 'manual' });
  const token = new URL(opened.headers.get('location') ?? '', server.url).searchParams.get('token');
  const response = await post('/reset-password', { token, newPassword: `a new ${newId()}` });
  return ((await response.json()) as { revoke_token: string }).revoke_token;
}

/** Adds a job that has used all its attempts. It is not due, so that no worker runs it in the meantime. */
async function addFailedJob({ ctx }: TestServer): Promise<string> {
  const { id } = await onlyRow(
    ctx.db,
    sql<{ id: string }>`select id::text from graphile_worker.add_job(
      identifier => ${sendEmailJob.task}, payload => '{}'::json, run_at => now() + interval '1 day')`,
  );
  await changed(
    ctx.db,
    sql`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'no' where id = ${id}::bigint`,
  );
  return id;
}

/** The token of an address that mail programs call. */
function tokenOf(address: string): { token: string } {
  return { token: new URL(address).searchParams.get('token') ?? '' };
}
