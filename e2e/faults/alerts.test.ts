// Alerts while workers are killed: each reaches the mail server and the webhook, and a repeated one has the same id.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { askAs } from '../../packages/server/test/setup/api-calls.ts';
import { createTestDatabase, type TestDatabase } from '../../packages/server/test/setup/database.ts';
import { openPostOffice, type PostOffice } from '../../packages/server/test/setup/post-office.ts';
import { openReceiver, type Receiver } from '../../packages/server/test/setup/receiver.ts';
import { until } from '../../packages/server/test/setup/until.ts';
import { type Environment, makeFolder, type Role, type ServiceProcess, startService } from '../setup/processes.ts';
import { addAccount } from '../setup/studio.ts';

const GAMES = 24;
/** A worker is killed whenever this many more messages have arrived, before they are acknowledged. */
const KILL_EVERY = 6;
const PATIENCE_MS = 120_000;

type Created = { game_uid: string };
type Delivery = { delivery_uid: string; state: string; destination_uid: string | null };

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let receiver: Receiver;
let mails: PostOffice;
let environment: Environment;
const processes: ServiceProcess[] = [];
let arrived = 0;
let kills = 0;
let killing = Promise.resolve();

before(async () => {
  receiver = await openReceiver({ beforeResponse: killSometimes });
  mails = await openPostOffice();
  database = await createTestDatabase();
  folder = await makeFolder();
  environment = {
    DATABASE_URL: database.url,
    CHAUFFEUR_SMTP: mails.url,
    CHAUFFEUR_ALERT_PRIVATE_HOSTS: '1',
    CHAUFFEUR_LIMIT_BUGS: '0',
    CHAUFFEUR_SECRET: 'a secret that all processes of the test have in common',
  };
  for (const role of ['api', 'worker', 'worker'] as const) await start(role);
});
after(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await Promise.all([receiver.close(), mails.close(), database.drop(), folder.remove()]);
});

async function start(role: Role, place = processes.length): Promise<void> {
  processes[place] = await startService(join(folder.path, 'data'), environment, { role });
}

/** Kills one worker after the other, and replaces it. */
async function killSometimes(): Promise<void> {
  arrived += 1;
  if (arrived % KILL_EVERY !== 0) return;
  kills += 1;
  const place = 1 + (kills % 2);
  killing = killing.then(async () => {
    await processes[place]!.kill();
    await start('worker', place);
  });
  await killing;
}

test('none is missing, and a repeated one has the same id', async () => {
  const api = processes[0]!;
  const findLink = async (to: string) => {
    const mail = await mails.take(/^Verify your email/);
    assert.equal(mail.to, to);
    return mail.link;
  };
  const account = (name: string) =>
    addAccount(api, { email: `${name}@example.com`, password: 'correct horse battery' }, findLink);
  const [owner, player] = [askAs(api, await account('owner')), askAs(api, await account('player'))];
  const games: string[] = [];
  for (let no = 0; no < GAMES; no += 1) {
    const { game_uid: uid } = await owner<Created>('POST', '/games', { name: `Game ${no}.`, visibility: 'public' });
    await owner('PATCH', `/games/${uid}/alerts`, { rules: [{ kind: 'new_bug', send: 'now' }] });
    const destination = { kind: 'webhook', name: 'hook', url: `${receiver.url}/${uid}`, send_test: false };
    await owner('POST', `/games/${uid}/alert-destinations`, destination);
    games.push(uid);
  }
  for (const uid of games) await player('POST', `/games/${uid}/bugs`, { message: `It broke in ${uid}` });

  const deliveriesOf = async (uid: string) =>
    (await owner<{ deliveries: Delivery[] }>('GET', `/games/${uid}/alert-deliveries`)).deliveries;
  for (const uid of games) {
    const deliveries = await until(
      async () => {
        const found = await deliveriesOf(uid);
        return found.length > 0 && found.every(({ state }) => state === 'sent') ? found : undefined;
      },
      () => `an alert was not delivered:\n${processes.map((each) => each.output().slice(-2000)).join('\n')}`,
      PATIENCE_MS,
    );
    assert.equal(deliveries.length, 2);
    const hook = deliveries.find(({ destination_uid }) => destination_uid !== null)!.delivery_uid;
    const mail = deliveries.find(({ destination_uid }) => destination_uid === null)!.delivery_uid;
    const posted = receiver.received.filter(({ path }) => path === `/${uid}`);
    assert.deepEqual(new Set(posted.map(({ headers }) => headers['webhook-id'])), new Set([hook]));
    for (const { body } of posted) assert.match(body, new RegExp(`It broke in ${uid}`));
    const ids = mails.mails
      .filter(({ text }) => text.includes(`It broke in ${uid}`))
      .map((each) => each.field('Message-ID'));
    assert.ok(ids.length > 0 && ids.every((id) => id.startsWith(`<${mail}@`)), `${uid}: ${ids}`);
  }
  await killing;
  assert.ok(kills >= GAMES / KILL_EVERY, `${kills} workers were killed`);
});
