// The issue tracker of a game: its settings, links that open a new issue in it, issues created through its API, and
// commits that it knows.

import { errors } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf, OutputOf } from '@chauffeur/contract/operation';
import type { TrackerKind } from '@chauffeur/contract/operations/issue-tracker';
import * as contract from '@chauffeur/contract/operations/issue-tracker';
import { findTemplateProblem, readWebAddress, tidyTemplate } from '@chauffeur/contract/web-address';
import { sql } from 'kysely';
import type { Context } from '../../context.ts';
import { MINUTE } from '../../kernel/clock.ts';
import { changed, type Db, row, transact } from '../../kernel/database/db.ts';
import { countUse } from '../../kernel/limits/rate-limit.ts';
import { openSecret, sealSecret } from '../../kernel/secrets/sealed.ts';
import { deriveKey } from '../../kernel/secrets/signed-token.ts';
import { lockGame, requireMember } from '../../people/game-access/game-access.ts';
import { auditChange, auditChanges } from '../../request/audit.ts';
import { perContext } from '../../request/per-context.ts';
import { handle } from '../../request/route.ts';
import { type CommitRange, type Comparison, getCommits, type Issue, type Project, postIssue } from './hosts.ts';

type Tracker = OutputOf<typeof contract.getIssueTracker>;

const DEFAULT_URLS = { github: 'https://github.com', gitlab: 'https://gitlab.com' } as const;
/** Rules of the template for any other tracker. */
const PLACEHOLDERS = { names: ['title', 'body'], required: [], anyText: ['title', 'body'] };
/** Longer addresses are refused by some servers. */
const MAX_URL = 6000;
const ISSUE_LIMIT = { name: 'issues', max: 60, windowSeconds: 3600 } as const;
/** How long a request that creates an issue keeps others from creating it too. A tracker may take less time. */
export const ISSUE_CLAIM_MS = MINUTE;

const keyOf = perContext(({ secret }) => deriveKey(secret, 'tokens of issue trackers'));

export const getIssueTracker = handle(contract.getIssueTracker, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return { tracker: recordOf(await findTracker(ctx.db, game.game_id)) };
});

function recordOf(tracker: TrackerRow | undefined): Tracker['tracker'] {
  if (tracker === undefined) return null;
  const { kind, base_url, project, token } = tracker;
  return { kind, base_url, project, url_template: templateOf(tracker), has_token: token !== null };
}

/** A token belongs to a server: it is kept only if the server stays the same. */
export const setIssueTracker = handle(contract.setIssueTracker, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  const tracker = trackerOf(ctx, input);
  const sealed = input.token == null ? null : sealSecret(keyOf(ctx), game.game_id, input.token);
  return transact(ctx.db, async (tx) => {
    // When two changes are made at once, the second one starts from the first.
    await lockGame(tx, game.game_id);
    const former = await findTracker(tx, game.game_id);
    const isSame = former?.kind === tracker.kind && former.base_url === tracker.base_url;
    const token = input.token === undefined && isSame ? (former?.token ?? null) : sealed;
    await upsertTracker(tx, game.game_id, { ...tracker, token });
    auditChanges(former ?? {}, tracker, ['kind', 'base_url', 'project', 'url_template']);
    auditChange('has_token', former?.token != null, token !== null);
    return { tracker: recordOf({ ...tracker, token }) };
  });
});

type Settings = Omit<InputOf<typeof contract.setIssueTracker>, 'uid'>;

/** Throws `invalid` for fields that do not go together. */
function trackerOf(ctx: Context, { kind, base_url, project, url_template, token }: Settings): TrackerRow {
  if (kind === 'other') {
    if (url_template === undefined)
      throw errors.invalid('url_template: required. Send the address of the page for a new issue.');
    if (token != null) throw errors.invalid('token: issues are only created in GitHub and GitLab.');
    const problem = findTemplateProblem(url_template, PLACEHOLDERS);
    if (problem !== null) throw errors.invalid(`url_template: ${problem}.`);
    return { kind, base_url: null, project: null, url_template: tidyTemplate(url_template), token: null };
  }
  if (url_template !== undefined) throw errors.invalid('url_template: only for another tracker.');
  if (project === undefined) throw errors.invalid('project: required, such as owner/repository.');
  if (kind === 'github' && project.split('/').length !== 2)
    throw errors.invalid('project: in GitHub, use owner/repository.');
  return { kind, base_url: baseOf(ctx, base_url ?? DEFAULT_URLS[kind]), project, url_template: null, token: null };
}

/** Whether the host has a public address is checked when an issue is created. */
function baseOf({ config }: Context, text: string): string {
  const url = readWebAddress(text);
  const isAllowed = url?.protocol === 'https:' || (url?.protocol === 'http:' && config.alertPrivateHosts);
  if (url === null || !isAllowed) throw errors.invalid('base_url: must begin with https://.');
  if (url.search !== '' || url.hash !== '') throw errors.invalid('base_url: must be the address of the server only.');
  return url.href.replace(/\/+$/, '');
}

export const removeIssueTracker = handle(contract.removeIssueTracker, async (ctx, { caller, input }) => {
  const { game } = await requireMember(ctx, caller, input.uid);
  return transact(ctx.db, async (tx) => {
    // When two changes are made at once, the second one starts from the first.
    await lockGame(tx, game.game_id);
    const former = await findTracker(tx, game.game_id);
    auditChange('tracker', former && { kind: former.kind, base_url: former.base_url, project: former.project }, null);
    return { removed: await deleteTracker(tx, game.game_id) };
  });
});

function templateOf({ kind, base_url, project, url_template }: TrackerRow): string {
  switch (kind) {
    case 'github':
      return `${base_url}/${project}/issues/new?title={title}&body={body}`;
    case 'gitlab':
      return `${base_url}/${project}/-/issues/new?issue[title]={title}&issue[description]={body}`;
    case 'other':
      return url_template!;
  }
}

/** The end of a long text is left out. */
function fillTemplate(template: string, { title, body }: Issue): string {
  const fill = (text: string) =>
    template.replace(/\{(title|body)\}/g, (_, name: string) => encodeURIComponent(name === 'title' ? title : text));
  let length = body.length;
  while (length > 0 && fill(body.slice(0, length).toWellFormed()).length > MAX_URL) length = Math.floor(length * 0.8);
  return fill(body.slice(0, length).toWellFormed());
}

/** The address that opens a new issue in the tracker, and whether it can be created through its API. */
export async function draftIssue(
  ctx: Context,
  gameId: string,
  issue: Issue,
): Promise<{ url: string | null; canCreate: boolean }> {
  const tracker = await findTracker(ctx.db, gameId);
  if (tracker === undefined) return { url: null, canCreate: false };
  const template = templateOf(tracker);
  // An earlier version accepted templates whose host was not fixed.
  const isValid = tracker.kind !== 'other' || findTemplateProblem(template, PLACEHOLDERS) === null;
  return { url: isValid ? fillTemplate(template, issue) : null, canCreate: tracker.token !== null };
}

/**
 * Creates an issue, and returns its address. Throws `invalid` without a token, `limitReached` if the game created many,
 * and `issueTrackerFailed` if the tracker does not create it.
 */
export async function createIssue(ctx: Context, gameId: string, issue: Issue): Promise<string> {
  const project = await requireProject(ctx, gameId);
  await countUse(ctx, ctx.db, gameId, ISSUE_LIMIT);
  const title = [...issue.title].slice(0, LIMITS.titleLength).join('');
  return postIssue(ctx, project, { ...issue, title });
}

/**
 * A code block of Markdown, with a fence that is longer than any row of backticks in it. Trackers show the text as it
 * is: it mentions no one, links nothing, and runs no commands.
 */
export function fenced(lines: readonly string[]): string {
  const text = lines.join('\n');
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/**
 * The commits that one commit has and another does not. Throws `invalid` without a token, and `issueTrackerFailed` if
 * the host fails.
 */
export async function compareCommits(ctx: Context, gameId: string, range: CommitRange): Promise<Comparison> {
  return getCommits(ctx, await requireProject(ctx, gameId), range);
}

/** Throws `invalid` without a token. */
async function requireProject(ctx: Context, gameId: string): Promise<Project> {
  const tracker = await findTracker(ctx.db, gameId);
  if (tracker === undefined || tracker.kind === 'other' || tracker.token === null)
    throw errors.invalid('Set up GitHub or GitLab with an access token first, in the settings of the game.');
  const token = openSecret(keyOf(ctx), gameId, tracker.token);
  if (token === null)
    throw errors.invalid("The stored token can't be read, because the service's secret has changed. Set it again.");
  return { kind: tracker.kind, baseUrl: tracker.base_url!, project: tracker.project!, token };
}

export type TrackerRow = {
  kind: TrackerKind;
  base_url: string | null;
  project: string | null;
  url_template: string | null;
  token: Buffer | null;
};

export function findTracker(db: Db, gameId: string): Promise<TrackerRow | undefined> {
  return row(
    db,
    sql<TrackerRow>`select kind, base_url, project, url_template, token from issue_trackers where game_id = ${gameId}`,
  );
}

export async function upsertTracker(db: Db, gameId: string, tracker: TrackerRow): Promise<void> {
  const { kind, base_url, project, url_template, token } = tracker;
  await changed(
    db,
    sql`insert into issue_trackers (game_id, kind, base_url, project, url_template, token)
      values (${gameId}, ${kind}, ${base_url}, ${project}, ${url_template}, ${token})
      on conflict (game_id) do update set kind = excluded.kind, base_url = excluded.base_url,
        project = excluded.project, url_template = excluded.url_template, token = excluded.token`,
  );
}

export async function deleteTracker(db: Db, gameId: string): Promise<boolean> {
  return (await changed(db, sql`delete from issue_trackers where game_id = ${gameId}`)) > 0;
}
