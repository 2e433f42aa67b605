import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { listEntries } from './entries.ts';

const MSF = 'Microsoft C/C++ MSF 7.00\r\n';
const ELF = '\x7fELF';
const KEY = '-----BEGIN PRIVATE KEY-----\n';

/** What players should not get, by its reason. */
const JUNK: Record<string, Record<string, string>> = {
  'version control': { '.git/HEAD': '', 'lib/.git': 'gitdir: x', '.svn/entries': '', '.gitignore': '' },
  'metadata of the OS': { '.DS_Store': '', '__MACOSX/a': '', '._run': '', 'a/Thumbs.db': '', 'b/DESKTOP.INI': '' },
  'not for players, as its name says': {
    'Owls_BurstDebugInformation_DoNotShip/a': '',
    'Owls_BackUpThisFolder_ButDontShipItWithYourGame/a': '',
  },
  secrets: {
    '.env': '',
    '.env.production': '',
    'c/id_rsa': '',
    'release.keystore': '',
    'cert.p12': '',
    'server.pem': `-----BEGIN CERTIFICATE-----\n${KEY}`,
    'AuthKey.p8': KEY,
    'service-account.json': `{"private_key": "${KEY}"}`,
    '.npmrc': '',
    '.ssh/config': '',
  },
  'debug symbols': {
    'Owls.pdb': MSF,
    'Managed.pdb': 'BSJB\u0001',
    'Owls.app.dSYM/Contents/a': '',
    'owls.debug': ELF,
    'owls.sym': 'MODULE Linux x86_64 0 owls\n',
    'Owls.dll.mdb': '',
  },
  'settings of an editor': { '.vs/a': '', '.idea/a': '' },
  'files of the updater': { '.chauffeur/install.json': '' },
};

/** Similar names of files that games need. */
const NEEDED = {
  run: '',
  'molecule.pdb': 'ATOM 1',
  'ca.pem': '-----BEGIN CERTIFICATE-----\n',
  'piano.key': 'C major',
  'alphabet.sym': 'letters',
  'credentials.json': '{"names": ["Ada"]}',
  '.env.example': '',
  'git/HEAD': '',
  '.itch.toml': '',
  'node_modules/three/package.json': '{}',
  'GoogleService-Info.plist': '',
};

const DOUBTFUL = { 'app.js.map': '', 'crash.dmp': '', 'output.log': '', 'save.bak': '', 'google-services.json': '' };

test('what players should not get is left out, by its name and where necessary by its content', async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { ...Object.assign({}, ...Object.values(JUNK)), ...NEEDED, ...DOUBTFUL });
  const { entries, leftOut, junk } = await listEntries(folder, { junk: 'leave out' });
  const files = entries.filter(({ kind }) => kind === 'file').map(({ path }) => path);
  assert.deepEqual(files.sort(), Object.keys({ ...NEEDED, ...DOUBTFUL }).sort());
  for (const [reason, paths] of Object.entries(JUNK)) {
    const found = leftOut.filter((item) => item.reason === reason).map(({ path }) => path);
    for (const path of Object.keys(paths))
      assert.ok(
        found.some((item) => path.startsWith(item)),
        `${reason}: ${path}`,
      );
    assert.equal(found.length, Object.keys(paths).length, reason);
  }
  assert.deepEqual(junk.map(({ path }) => path).sort(), Object.keys(DOUBTFUL).sort());
});

test('it is only found if it is not to be left out, and not looked for in folders of symbols', async (t) => {
  const folder = tempFolder(t);
  writeTree(folder, { run: '', '.env': 'A=1', 'a.sym': 'MODULE ' });
  const kept = await listEntries(folder, { junk: 'find' });
  assert.deepEqual([kept.entries.length, kept.leftOut, kept.junk.map(({ path }) => path)], [3, [], ['.env', 'a.sym']]);
  const { entries, junk } = await listEntries(folder);
  assert.deepEqual([entries.length, junk], [3, []]);
});

test('a signed bundle keeps all files that its signature covers', async (t) => {
  const folder = tempFolder(t);
  const contents = {
    'Owls.app/Contents/MacOS/Owls': '',
    'Owls.app/Contents/.DS_Store': '',
    'Owls.app/Contents/Resources/.env': '',
    'Owls.app/Contents/Resources/Owls.pdb': MSF,
  };
  writeTree(folder, { ...contents, '.env': '' });
  const list = async (path: string) => {
    const { leftOut, junk } = await listEntries(join(folder, path), { junk: 'leave out' });
    return [
      leftOut.map((item) => item.path).sort(),
      junk
        .filter(({ isSigned }) => isSigned)
        .map((item) => item.path)
        .sort(),
    ];
  };
  const [store, env, pdb] = Object.keys(contents).slice(1);
  assert.deepEqual(await list('.'), [['.env', store, env, pdb], []]);
  writeTree(folder, { 'Owls.app/Contents/_CodeSignature/CodeResources': '' });
  assert.deepEqual(await list('.'), [
    ['.env', store],
    [env, pdb],
  ]);
  assert.deepEqual(await list('Owls.app'), [[store], [env, pdb]]);
});
