import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { findConfigWarnings, readConfig } from './config.ts';

test('addresses that everyone sees may not have credentials or a query', () => {
  for (const name of ['CHAUFFEUR_PUBLIC_URL', 'CHAUFFEUR_DOWNLOAD_URL']) {
    for (const value of ['https://user:secret@cdn.example', 'https://cdn.example/?a=b', 'https://cdn.example/#a'])
      assert.throws(() => readConfig({ [name]: value }), new RegExp(`${name}.*without a name, password or query`));
    assert.throws(() => readConfig({ [name]: 'ftp://cdn.example' }), /starts with http/);
  }
  assert.equal(
    readConfig({ CHAUFFEUR_DOWNLOAD_URL: 'https://cdn.example/games' }).downloadUrl,
    'https://cdn.example/games',
  );
});

test('the public URL has no path, and loses a slash at its end', () => {
  assert.throws(() => readConfig({ CHAUFFEUR_PUBLIC_URL: 'https://games.example/chauffeur' }), /without a path/);
  assert.equal(readConfig({ CHAUFFEUR_PUBLIC_URL: 'https://games.example/' }).publicUrl, 'https://games.example');
});

test('the sender of emails is one address, with or without a name', () => {
  for (const value of ['games@studio.example', 'Night Owls <games@studio.example>', 'Chauffeur <chauffeur@localhost>'])
    assert.equal(readConfig({ CHAUFFEUR_MAIL_FROM: value }).mailFrom, value);
  for (const value of [
    'studio',
    'Night Owls',
    'Night Owls <games>',
    'a@b.example, c@d.example',
    'A <a@b.example> <c@d.example>',
  ])
    assert.throws(() => readConfig({ CHAUFFEUR_MAIL_FROM: value }), /CHAUFFEUR_MAIL_FROM: use one address/);
});

test('the scanner is a socket or a host with its port', () => {
  for (const value of ['unix:/run/clamav/clamd.ctl', '127.0.0.1:3310', 'clamav:3310', '[::1]:3310'])
    assert.equal(readConfig({ CHAUFFEUR_CLAMD: value }).clamd, value);
  for (const value of [
    '/run/clamav/clamd.ctl',
    'unix:clamd.ctl',
    'clamav',
    '127.0.0.1:',
    '127.0.0.1:99999',
    'tcp://clamav:3310',
    '::1:3310',
  ])
    assert.throws(() => readConfig({ CHAUFFEUR_CLAMD: value }), /CHAUFFEUR_CLAMD: use unix:/, value);
});

test('origins of pages that may connect as agents are as browsers send them, with HTTPS except on this machine', () => {
  assert.equal(
    readConfig({ CHAUFFEUR_MCP_ORIGINS: 'https://agent.example/, http://localhost:6274' }).mcpOrigins,
    'https://agent.example,http://localhost:6274',
  );
  for (const value of [
    '*',
    'null',
    'agent.example',
    'https://*.agent.example',
    'http://agent.example',
    'https://agent.example/chat',
    'https://user@agent.example',
    'https://Agent.example',
    'https://agent.example:443',
    'https://agent.example,',
  ])
    assert.throws(() => readConfig({ CHAUFFEUR_MCP_ORIGINS: value }), /CHAUFFEUR_MCP_ORIGINS: use origins/, value);
});

test('the imprint and similar pages are URLs or Markdown files', () => {
  for (const value of ['https://studio.example/imprint?lang=en#top', 'http://studio.example', '/etc/chauffeur/a.md'])
    assert.equal(readConfig({ CHAUFFEUR_IMPRINT_EN: value }).imprintEn, value);
  assert.equal(readConfig({ CHAUFFEUR_TERMS_DE: 'legal/agb.md' }).termsDe, resolve('legal/agb.md'));
  for (const value of [
    'studio.example/imprint',
    'ftp://studio.example/imprint.md',
    'javascript:alert(1)//.md',
    'mailto:owls@studio.example',
    '/etc/chauffeur/imprint.txt',
    '/etc/chauffeur',
    'https://',
  ])
    assert.throws(() => readConfig({ CHAUFFEUR_PRIVACY_DE: value }), /CHAUFFEUR_PRIVACY_DE: use a URL/, value);
  assert.throws(
    () => readConfig({ CHAUFFEUR_TERMS_EN: 'https://me:secret@studio.example' }),
    /without a name or password/,
  );
});

test('an invalid value in quotes says so', () =>
  assert.throws(() => readConfig({ CHAUFFEUR_PORT: '"4000"' }), /CHAUFFEUR_PORT: .*Remove the quotes/));

test('names of other programs are not mistakes', () =>
  assert.deepEqual(
    findConfigWarnings({
      CHAUFFEUR_PORT: '4000',
      CHAUFFEUR_SERVICE_HOST: '10.0.0.1',
      CHAUFFEUR_SERVICE_PORT_HTTP: '80',
      CHAUFFEUR_PORT_80_TCP_ADDR: '10.0.0.1',
      CHAUFFEUR_API_SERVICE_HOST: '10.0.0.1',
      CHAUFFEUR_TEST_CITUS_URL: 'postgres://127.0.0.1',
      CHAUFFEUR_SMTP: '',
      HOME: '"quoted"',
    }),
    [],
  ));

test('what stops the server waits longer than the server does', () => {
  const { shutdownSeconds } = readConfig({});
  const waits = {
    '../../../ops/systemd/chauffeur.service': /^TimeoutStopSec=(\d+)$/gm,
    '../../../ops/helm/chauffeur/values.yaml': /^terminationGracePeriodSeconds: (\d+)$/gm,
    '../../../compose.yaml': /stop_grace_period: (\d+)m$/gm,
  };
  for (const [path, pattern] of Object.entries(waits)) {
    const values = [...readFileSync(new URL(path, import.meta.url), 'utf8').matchAll(pattern)].map((match) =>
      Number(match[1]),
    );
    assert.ok(values.length > 0, path);
    // Two minutes for the parts of the service, as in docs/service.md.
    for (const value of values)
      assert.ok(value * (path.endsWith('compose.yaml') ? 60 : 1) >= shutdownSeconds + 120, `${path}: ${value}`);
  }
});
