// Crash groups for the tests of triage.
import assert from 'node:assert/strict';
import { addBuild, addReport, callAs, makeSharedGame, type Person, type SharedGame } from './crash-reports.ts';
import type { ApiResponse, TestServer } from './server.ts';

/** A game with a build whose crash groups are triaged. */
export type TriagedGame = { server: TestServer; game: SharedGame; build: string };

export async function makeTriagedGame(server: TestServer): Promise<TriagedGame> {
  const game = await makeSharedGame(server);
  return { server, game, build: await addBuild(server, game, { version: '1.0.0' }) };
}

/** Adds a report with this stack. */
export const addCrash = (studio: TriagedGame, stack: readonly string[], buildId = studio.build) =>
  addReport(studio.server.ctx, { game: studio.game, buildId, stack });

type CallOptions = { method?: string; body?: unknown; as?: Person | null };

/** Calls a route below the crash groups of the game. */
export async function call(
  studio: TriagedGame,
  path: string,
  { method = 'GET', body, as = studio.game.owner }: CallOptions = {},
): Promise<ApiResponse> {
  const { game } = studio;
  return callAs(studio.server, as, `/games/${game.uid}/crash-groups${path}`, { method, body });
}

/** Does the same as `call`. Returns the data of a success. */
export async function done(studio: TriagedGame, path: string, options: CallOptions = {}) {
  const { status, body } = await call(studio, path, options);
  assert.ok(status < 300, JSON.stringify(body));
  return body.data;
}

type Listed = {
  group_id: string;
  title: string;
  signature: string;
  status: string;
  count: number;
  merged_count: number;
};

export async function listedGroups(studio: TriagedGame, query = ''): Promise<Listed[]> {
  return (await done(studio, query)).groups;
}

const titled = (groups: readonly Listed[], title: string) => groups.find((group) => group.title === title)!;

/** The ids of the groups with these titles. */
export async function idsOf(studio: TriagedGame, ...titles: string[]): Promise<string[]> {
  const groups = await listedGroups(studio);
  return titles.map((title) => titled(groups, title).group_id);
}

export const patch = (studio: TriagedGame, id: string, body: object, as?: Person) =>
  done(studio, `/${id}`, { method: 'PATCH', body, ...(as && { as }) });
export const post = (studio: TriagedGame, path: string, body: object = {}) =>
  done(studio, path, { method: 'POST', body });
export const undo = (studio: TriagedGame, change: string) => post(studio, `/changes/${change}/undo`);
export const activityOf = async (studio: TriagedGame, id: string) => (await done(studio, `/${id}/activity`)).activity;
