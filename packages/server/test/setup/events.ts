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
