import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { configFolder, openLoginStore } from './logins.ts';

const one = { url: 'https://one.example/api/v1', key: 'chf_cli_one', user: 'Ada', game: null };
const two = { url: 'https://two.example/api/v1', key: 'chf_cli_two', user: 'Ada', game: 'owls' };

function openStore(t: TestContext) {
  const parent = mkdtempSync(join(tmpdir(), 'chauffeur-logins-'));
  t.after(() => rmSync(parent, { recursive: true }));
  return openLoginStore(join(parent, 'config', 'chauffeur'));
}

test('logins are kept by server, and the newest one is the default', (t) => {
  const store = openStore(t);
  assert.deepEqual(store.read(), { defaultUrl: null, all: [] });
  store.save(one);
  store.save(two);
  store.save({ ...one, key: 'chf_cli_new' });
  assert.deepEqual(store.read(), { defaultUrl: one.url, all: [two, { ...one, key: 'chf_cli_new' }] });
  store.remove(one.url);
  assert.deepEqual(store.read(), { defaultUrl: two.url, all: [two] });
  store.remove(two.url);
  assert.deepEqual(store.read(), { defaultUrl: null, all: [] });
});

test('only the user can read the file and its folder, and no other file is left', { skip: noModes() }, (t) => {
  const store = openStore(t);
  store.save(one);
  store.save(two);
  const folder = join(store.path, '..');
  assert.deepEqual([statSync(store.path).mode & 0o777, statSync(folder).mode & 0o777], [0o600, 0o700]);
  assert.deepEqual(readdirSync(folder), ['credentials.json']);
});

test('a file that others can read is refused, with the remedy', { skip: noModes() }, (t) => {
  const store = openStore(t);
  store.save(one);
  for (const mode of [0o640, 0o604, 0o620, 0o777]) {
    chmodSync(store.path, mode);
    assert.throws(() => store.read(), { name: 'LocalError', message: /Other users can read/, remedy: /chmod 600/ });
    assert.throws(() => store.save(two), /Other users can read/);
  }
  chmodSync(store.path, 0o600);
  assert.deepEqual(store.read().all, [one]);
});

test('a damaged file is reported and not replaced', (t) => {
  const store = openStore(t);
  store.save(one);
  const broken = ['', '{', 'null', '[]', '{"default":1,"logins":[]}', '{"default":null,"logins":[{"url":"x"}]}'];
  const withLine = JSON.stringify({ default: null, logins: [{ ...one, key: 'a\r\nb' }] });
  for (const text of [...broken, withLine]) {
    writeFileSync(store.path, text);
    assert.throws(() => store.read(), /is damaged/, text);
    assert.throws(() => store.save(two), /is damaged/, text);
    assert.equal(readFileSync(store.path, 'utf8'), text);
  }
});

test('the file is in the folder for settings of each system', () => {
  assert.equal(configFolder({ XDG_CONFIG_HOME: '/x' }, 'linux'), '/x/chauffeur');
  for (const env of [{}, { XDG_CONFIG_HOME: '' }, { XDG_CONFIG_HOME: 'relative' }])
    assert.equal(configFolder(env, 'linux'), join(homedir(), '.config', 'chauffeur'));
  assert.equal(configFolder({}, 'darwin'), join(homedir(), 'Library', 'Application Support', 'chauffeur'));
  assert.equal(configFolder({ APPDATA: '/Roaming' }, 'win32'), join('/Roaming', 'chauffeur'));
});

/** The reason to skip tests of file modes, which Windows does not have. */
function noModes(): string | false {
  return process.platform === 'win32' && 'Windows has no file modes';
}
