// Sends what a game with one of Sentry's SDKs sends: crashes, feedback of the player about one, and what isn't used.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { envelope, newEventId, partsOf, sendEnvelope } from '../../packages/server/test/setup/envelopes.ts';
import type { Service } from './processes.ts';

const SCREENSHOT = fileURLToPath(new URL('../../docs/images/crashGroup.webp', import.meta.url));

/** All of it is of a release that no build has. */
export async function playWithSdk(service: Pick<Service, 'url'>, dsn: string): Promise<void> {
  const sender = { server: { url: service.url }, ...partsOf(dsn) };
  const send = async (header: object, items: Parameters<typeof envelope>[1]) => {
    const answer = await sendEnvelope(sender, envelope(header, items));
    if (!answer.ok) throw new Error(`an envelope returned ${answer.status}: ${await answer.text()}`);
  };
  const crashId = newEventId();
  const facts = {
    release: 'owls@1.3.0-nightly',
    environment: 'nightly',
    contexts: { os: { name: 'Windows', version: '11' } },
  };
  const frames = [{ function: 'Owl.Land', filename: 'Owl.cs', lineno: 31, in_app: true }];
  const exception = [
    {
      type: 'NullReferenceException',
      value: 'branch is null',
      stacktrace: { frames },
      mechanism: { type: 'x', handled: false },
    },
  ];
  await send({ event_id: crashId }, [
    [{ type: 'event' }, JSON.stringify({ ...facts, event_id: crashId, platform: 'csharp', exception })],
  ]);
  const feedback = {
    message: 'The owl fell through the branch when I landed.\nIt happens on every second branch.',
    name: 'Robin',
    contact_email: 'robin@example.com',
    associated_event_id: crashId,
  };
  const id = newEventId();
  await send({ event_id: id }, [
    [{ type: 'feedback' }, JSON.stringify({ ...facts, event_id: id, contexts: { ...facts.contexts, feedback } })],
    [{ type: 'attachment', filename: 'screenshot.webp' }, readFileSync(SCREENSHOT)],
    [{ type: 'attachment', filename: 'save.json' }, JSON.stringify({ level: 3, owls: 7 })],
  ]);
  const discarded_events = [{ reason: 'network_error', category: 'error', quantity: 4 }];
  await send({}, [
    [{ type: 'span', item_count: 1240 }, '{}'],
    [{ type: 'log', item_count: 18 }, '{}'],
    [{ type: 'event' }, JSON.stringify({ ...facts, event_id: newEventId(), level: 'info', message: 'Level 3 loaded' })],
    [{ type: 'client_report' }, JSON.stringify({ discarded_events })],
  ]);
  await sendEnvelope({ ...sender, key: 'c0ffee00'.repeat(4) }, envelope({}, []));
}
