// Shared by the tests of the game clients: registers a build, and reads the events of a device from the server.
import { setTimeout as wait } from 'node:timers/promises';
import { runCommand } from './processes.ts';
import type { Served } from './served.ts';

const DEADLINE_MS = 30_000;

/** An event as the server stores it. */
export type StoredEvent = {
  event: string;
  build_id: string;
  session_id: string | null;
  ms: number | null;
  seconds: number | null;
  timestamp: string | null;
  properties: Record<string, unknown>;
};

/** Registers a build of this version with the chauffeur command. Returns its id. */
export async function registerBuild({ studio, folder }: Served, version: string): Promise<string> {
  const options = { environment: studio.environment, folder };
  for (const args of [
    ['genbuild', '--version', version],
    ['build', '--asset', 'build.yml', '--os', 'linux', '--arch', 'x86_64', '--json'],
  ]) {
    const { code, stdout, stderr } = await runCommand(args, options);
    if (code !== 0) throw new Error(`chauffeur ${args[0]} failed:\n${stderr}`);
    if (args[0] === 'build') return (JSON.parse(stdout) as { build_id: string }).build_id;
  }
  throw new Error('no build was registered');
}

/** Reads a device's events as the game's owner until `isDone` accepts their names. Returns the events, oldest first. */
export async function untilStored(
  served: Served,
  device: string,
  isDone: (names: readonly string[]) => boolean,
): Promise<StoredEvent[]> {
  const deadline = Date.now() + DEADLINE_MS;
  while (true) {
    const events = await readDevice(served, device);
    if (isDone(events.map(({ event }) => event))) return events;
    if (Date.now() > deadline) throw new Error(`stored events: ${events.map(({ event }) => event)}`);
    await wait(50);
  }
}

/** Reads all pages of the device's events, oldest first. */
async function readDevice({ service, studio }: Served, device: string): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${service.api}/games/${studio.gameUid}/devices/${device}${query}`, {
      headers: studio.session,
    });
    // The device does not exist before its first event.
    if (response.status === 404) return [];
    if (!response.ok) throw new Error(`the request returned ${response.status}: ${await response.text()}`);
    const { data } = (await response.json()) as { data: { events: StoredEvent[]; next_cursor: string | null } };
    events.push(...data.events);
    cursor = data.next_cursor;
  }
  return events.reverse();
}
