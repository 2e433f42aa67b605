// Sends events for tests, and reads what the server has stored.
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { rows } from '../../src/kernel/database/db.ts';
import { type CrashSender, idHeaders } from './crashes.ts';
import { type ApiResponse, request, type TestServer } from './server.ts';

/** A game with one build, whose ids its clients send. */
export type Sender = CrashSender;

/** A valid device id. */
export const DEVICE = '0b51a2c8-6d3e-4f7a-9c15-3e8d7b42f601';

/** Sends any body to the route for events; strings are sent unchanged. */
export function send(
  sender: Sender,
  body: unknown,
  { headers = idHeaders(sender), query = '', type = 'application/json' }: SendOptions = {},
): Promise<ApiResponse> {
  return request(`${sender.server.api}/public/events${query}`, {
    method: 'POST',
    headers: { ...(type !== null && { 'content-type': type }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export type SendOptions = { headers?: Record<string, string>; query?: string; type?: string | null };

/** Sends a body as the analytics module of an engine does. */
export function sendByEngine(server: TestServer, body: unknown): Promise<ApiResponse> {
  return request(`${server.url}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export type EventRow = {
  build_id: string;
  name: string;
  anonymous: boolean;
  device_uid: string | null;
  session_id: string | null;
  event_id: string | null;
  ms: number | null;
  seconds: number | null;
  client_time: Date | null;
  properties: Record<string, unknown> | null;
};

/** Returns the game’s stored events in the order in which they arrived. */
export function eventsOf({ server, game }: Sender): Promise<EventRow[]> {
  return rows(
    server.ctx.db,
    sql<EventRow>`select build_id, name, anonymous, device_uid, session_id, event_id, ms, seconds, client_time, properties
      from events where game_id = ${game.uid} order by received_at`,
  );
}

export function assertAccepted({ status, body }: ApiResponse, accepted: number, repeated = 0): void {
  assert.deepEqual([status, body], [202, { success: true, data: { accepted, repeated } }]);
}

/** Returns the counters that differ from the rows that they count; empty if all are correct. */
export function findMiscounts({ server, game }: Sender): Promise<object[]> {
  return rows(
    server.ctx.db,
    sql<object>`
      with counted as (
        select build_id, day, sum(devices) as devices, sum(booted) as booted, sum(crashed) as crashed,
          sum(any_crashed) as any_crashed
        from event_device_days
        where game_id = ${game.uid} group by 1, 2
      ), actual as (
        select build_id, day, count(*) filter (where what = 'd') as devices, count(*) filter (where what = 'b') as booted,
          count(*) filter (where what = 'c') as crashed, count(*) filter (where what = 'a') as any_crashed
        from event_devices cross join lateral
          (values ('d', last_day), ('b', boot_day), ('c', crash_day), ('a', any_crash_day)) as of (what, day)
        where game_id = ${game.uid} and of.day is not null group by 1, 2
      )
      select 'devices' as what, build_id::text, day::text from counted full join actual using (build_id, day)
      where (counted.devices, counted.booted, counted.crashed, counted.any_crashed)
        is distinct from (actual.devices, actual.booted, actual.crashed, actual.any_crashed)
      union all
      select 'hours', name, null from (
        select name, sum(count) as counted from event_hours where game_id = ${game.uid} group by 1
      ) as counted full join (
        select name, count(*) as actual from events where game_id = ${game.uid} group by 1
      ) as actual using (name) where counted is distinct from actual
      union all
      select 'ever', null, null
      where (select coalesce(sum(devices), 0) from event_games where game_id = ${game.uid})
        <> (select count(distinct device_uid) from events where game_id = ${game.uid})`,
  );
}
