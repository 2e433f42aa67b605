// cspell:ignore Keine solchen mehr diese deine Adresse stoppen
// The language of mails and feeds for players, on the real server.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { textsOf } from '@chauffeur/contract/texts/catalogue';
import { sql } from 'kysely';
import { changed } from '../src/kernel/database/db.ts';
import { newId } from '../src/kernel/secrets/ids.ts';
import { emailFollowers } from '../src/shop/follows/announce-release.job.ts';
import { callApi } from './setup/api-calls.ts';
import { callAs, makeSharedGame } from './setup/crash-reports.ts';
import { makeOwner, seedGame } from './setup/listings.ts';
import { mailsTo, mailTo } from './setup/mail.ts';
import { startServer, type TestServer } from './setup/server.ts';
import { until } from './setup/until.ts';

const de = textsOf('de');
const GERMAN = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.5' };

let server: TestServer;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_PUBLIC: '0' } });
});
after(() => server.stop());

const post = (path: string, body: object, headers: object = GERMAN) => callApi(server, headers, 'POST', path, body);
const newAddress = () => `${newId()}@example.com`;

describe('mails about accounts', () => {
  const auth = (route: string, body: object, headers: Record<string, string>) =>
    fetch(`${server.url}/api/auth${route}`, {
      method: 'POST',
      headers: { ...headers, origin: server.url, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('are in the language of the request that they follow', async () => {
    const email = newAddress();
    const account = { name: 'Ada', email, password: 'correct horse battery', callbackURL: '/verify' };
    assert.equal((await auth('/sign-up/email', account, GERMAN)).status, 200);
    const verification = await mailTo(server, email, new RegExp(de.t('mail.verify.subject')));
    assert.ok(verification.text.includes(de.t('mail.verify.note')), verification.text);
    assert.match(verification.link, /\/verify-email\?token=/);

    const english = { ...GERMAN, cookie: 'chauffeur.language=en' };
    assert.equal((await auth('/request-password-reset', { email, redirectTo: '/reset' }, english)).status, 200);
    await mailTo(server, email, /^Choose a new Chauffeur password$/);
    assert.equal((await auth('/sign-up/email', account, GERMAN)).status, 200);
    await mailTo(server, email, new RegExp(de.t('mail.existing.subject')));
  });

  test('report a sign-in in a new browser', async () => {
    const email = newAddress();
    const account = { name: 'Ada', email, password: 'correct horse battery' };
    await auth('/sign-up/email', account, {});
    await changed(server.ctx.db, sql`update users set email_verified = true where email = ${email}`);
    for (const client of ['First', 'Second'])
      assert.equal((await auth('/sign-in/email', account, { ...GERMAN, 'user-agent': client })).status, 200);
    const mail = await mailTo(server, email, new RegExp(de.t('mail.security.signed_in.subject')));
    assert.ok(mail.text.includes(de.t('mail.advice.reset')));
    assert.match(mail.html, /<html lang="de">/);
  });
});

test('mails about releases are in the language in which a game was followed', async () => {
  const game = await seedGame(server, await makeOwner(server), { name: 'Small „Walk“' });
  const version = '2.0';
  await changed(server.ctx.db, sql`update builds set version = ${version} where game_id = ${game.uid}`);
  const tokenIn = (text: string) => /\/follow\/([\w-]+)/.exec(text)?.[1] ?? '';
  const addresses = [newAddress(), newAddress()] as const;
  for (const [at, headers] of [GERMAN, {}].entries()) {
    const email = addresses[at] ?? '';
    await post(`/public/games/${game.uid}/follow`, { email }, headers);
    const { text } = await until(async () => (await mailsTo(server, email))[0]);
    assert.equal((await post('/public/follows/confirm', { token: tokenIn(text) }, headers)).status, 200);
  }
  await emailFollowers(server.ctx, {
    gameId: game.uid,
    version,
    releasedAt: new Date(Date.now() + 1000).toISOString(),
  });
  const [german, english] = await Promise.all(
    addresses.map((email) => mailTo(server, email, new RegExp(`^Small „Walk“ ${RegExp.escape(version)}$`))),
  );
  assert.ok(german?.text.includes(de.t('mail.release.why', { game: '„Small  Walk“' })), german?.text ?? '');
  assert.match(english?.text ?? '', /You get this email because you follow “Small {2}Walk”/);
  assert.match(german?.field('List-Unsubscribe') ?? '', /^<http/);
});

test('replies to a bug are in the language of the player who reported it', async () => {
  const game = await makeSharedGame(server);
  const email = newAddress();
  const filed = await post(`/public/games/${game.uid}/bugs`, { message: 'Stuck.', email });
  const path = `/games/${game.uid}/bugs/${filed.body.data.bug_uid}/replies`;
  const asked = await mailTo(server, email, new RegExp(`^${de.t('mail.ticket.subject', { game: '' }).slice(0, 20)}`));
  assert.match(asked.text, /Diese E-Mails an deine Adresse stoppen: http/);
  const token = /\/confirm-replies\/([\w-]+)/.exec(asked.text)?.[1];
  assert.equal((await post('/public/bugs/confirm', { token })).status, 200);
  await callAs(server, game.owner, path, { method: 'POST', body: { message: 'Fixed.' } });
  const mail = await mailTo(server, email, /^Re: /);
  assert.ok(mail.text.includes(de.t('mail.bug.why')), mail.text);
  assert.ok(mail.text.includes(`${de.t('mail.bug.report')}\n\n> Stuck.`), mail.text);
});

test('feeds are in the language that their address names, whatever the reader accepts', async () => {
  const read = async (path: string) => (await fetch(server.url + path, { headers: GERMAN })).text();
  assert.match(await read('/feeds/games.atom'), /<title>New games<\/title>/);
  const german = await read('/feeds/games.atom?lang=de');
  assert.ok(german.includes(`<title>${de.t('home.feed')}</title>`));
  assert.ok(german.includes(`href="${server.ctx.publicUrl}/feeds/games.atom?lang=de"`));
  for (const lang of ['lang=xx', 'lang=de&lang=en', 'lang=constructor'])
    assert.match(await read(`/feeds/games.atom?${lang}`), /<title>New games<\/title>/, lang);
});
