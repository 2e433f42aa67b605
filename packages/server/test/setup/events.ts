// What tests of events send, and how they look at what came of it.
import { sql } from 'kysely';
import { rows } from '../../src/kernel/database/db.ts';
import { type CrashSender, idHeaders } from './crashes.ts';
import { type Answer, request, type TestServer } from './server.ts';

/** A game with one build, as a client of it sees them. */
export type Sender = CrashSender;

/** Sends events, or whatever body. */
export function send(
  sender: Sender,
  body: unknown,
  { headers = idHeaders(sender), query = '', type = 'application/json' }: SendOptions = {},
): Promise<Answer> {
  return request(`${sender.server.api}/public/events${query}`, {
    method: 'POST',
    headers: { ...(type !== null && { 'content-type': type }), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export type SendOptions = { headers?: Record<string, string>; query?: string; type?: string | null };

/** Posts as the engines’ analytics module does. */
export function sendByEngine(server: TestServer, body: unknown): Promise<Answer> {
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

/** The game’s events as they are stored, in the order in which they came. */
export function eventsOf({ server, game }: Sender): Promise<EventRow[]> {
  return rows(
    server.ctx.db,
    sql<EventRow>`select build_id, name, anonymous, device_uid, session_id, event_id, ms, seconds, client_time, properties
      from events where game_id = ${game.uid} order by received_at`,
  );
}
