import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { UpdaterError } from './error.ts';
import { finishSwitch, foldersOf, type InstallFolders, type Journal, type Step, switchOver } from './switch-over.ts';

const root = mkdtempSync(join(tmpdir(), 'updater-'));
after(() => rmSync(root, { recursive: true, force: true }));

let games = 0;

/** A folder with these files, and with files in the staging folder. */
function install(files: Record<string, string>, staged: Record<string, string>): InstallFolders {
  const folders = foldersOf(join(root, `game-${++games}`));
  const put = (folder: string, all: Record<string, string>) => {
    for (const [path, content] of Object.entries(all)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  };
  put(folders.game, files);
  mkdirSync(folders.staged, { recursive: true });
  put(folders.staged, staged);
  return folders;
}

/** All entries outside of the state folder: the content of a file, `-> target`, or `folder`; a program ends with `*`. */
function treeOf({ game }: InstallFolders): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(game, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(game.length + 1).replaceAll('\\', '/');
    if (name.startsWith('.chauffeur')) continue;
    if (entry.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path)}`;
    else if (entry.isDirectory()) tree[name] = 'folder';
    else tree[name] = readFileSync(path, 'utf8') + ((lstatSync(path).mode & 0o100) === 0 ? '' : '*');
  }
  return tree;
}

const OLD = {
  game: 'old program',
  'data/level1': 'level 1',
  'data/level2': 'level 2',
  music: 'a file that becomes a folder',
  'textures/rock': 'a folder that becomes a file',
  'Readme.txt': 'old text',
  'saves/slot1': 'by the player',
  'state.txt': 'not part of the game',
};
const STAGED = { 0: 'new program', 1: 'level 1b', 2: 'theme', 3: 'packed textures', 4: 'new text' };
const put = (path: string, staged: string, executable = false): Step => ({ kind: 'put', path, staged, executable });
const CHANGES: Omit<Journal, 'format' | 'removed'> = {
  steps: [
    { kind: 'remove', path: 'data/level2' },
    { kind: 'remove', path: 'music' },
    { kind: 'remove', path: 'textures/rock' },
    { kind: 'remove', path: 'Readme.txt' },
    put('game', '0', true),
    put('data/level1', '1'),
    put('music/theme', '2'),
    put('textures', '3'),
    put('README.txt', '4'),
    { kind: 'link', path: 'current', target: 'data/level1' },
    { kind: 'folder', path: 'mods' },
    { kind: 'mode', path: 'state.txt', executable: true },
  ],
  state: [{ from: 'manifest.next', to: 'manifest' }],
};
const NEW = {
  game: 'new program*',
  data: 'folder',
  'data/level1': 'level 1b',
  music: 'folder',
  'music/theme': 'theme',
  textures: 'packed textures',
  'README.txt': 'new text',
  current: '-> data/level1',
  mods: 'folder',
  saves: 'folder',
  'saves/slot1': 'by the player',
  'state.txt': 'not part of the game*',
};
const STATE = { '.chauffeur/manifest': 'old manifest', '.chauffeur/manifest.next': 'new manifest' };

function assertSwitched(folders: InstallFolders): void {
  assert.deepEqual(treeOf(folders), NEW);
  assert.equal(readFileSync(join(folders.state, 'manifest'), 'utf8'), 'new manifest');
  assert.deepEqual(readdirSync(folders.state), ['manifest']);
}

test('the new version replaces the old one, and files of the player stay', async () => {
  const folders = install({ ...OLD, ...STATE }, STAGED);
  await switchOver(folders, CHANGES);
  assertSwitched(folders);
});

function interrupt(folders: InstallFolders, journal: Journal): void {
  writeFileSync(join(folders.state, 'journal.json'), JSON.stringify(journal));
}

test('a switch that was interrupted after any step is finished', async () => {
  for (let done = 0; done <= CHANGES.steps.length; done++) {
    const folders = install({ ...OLD, ...STATE }, STAGED);
    // The first steps; then the rest of the staging folder and the journal as they were when the process was killed.
    const steps = CHANGES.steps.slice(0, done);
    await switchOver(folders, { steps, state: [] });
    mkdirSync(folders.staged, { recursive: true });
    const moved = new Set(steps.flatMap((step) => (step.kind === 'put' ? step.staged : [])));
    for (const [name, content] of Object.entries(STAGED))
      if (!moved.has(name)) writeFileSync(join(folders.staged, name), content);
    interrupt(folders, { format: 1, removed: steps.some(({ kind }) => kind !== 'remove'), ...CHANGES });
    assert.equal(await finishSwitch(folders), true);
    assertSwitched(folders);
    assert.equal(await finishSwitch(folders), false);
  }
});

test('a switch that was interrupted before its end is finished, and removes nothing again', async () => {
  const folders = install({ ...OLD, ...STATE }, STAGED);
  await switchOver(folders, CHANGES);
  // As if the case of names made no difference, the new file is where the old one was removed.
  const steps: Step[] = [{ kind: 'remove', path: 'README.txt' }, ...CHANGES.steps];
  interrupt(folders, { format: 1, removed: true, ...CHANGES, steps });
  await finishSwitch(folders);
  assertSwitched(folders);
});

test('nothing is written or removed through a link that leads elsewhere', async () => {
  const elsewhere = mkdtempSync(join(root, 'elsewhere-'));
  writeFileSync(join(elsewhere, 'level1'), 'of somebody else');
  const folders = install({}, { 0: 'new' });
  symlinkSync(elsewhere, join(folders.game, 'data'));
  await assert.rejects(switchOver(folders, { steps: [put('data/level1', '0')], state: [] }), UpdaterError);
  assert.ok(existsSync(join(folders.state, 'journal.json')), 'the switch can be finished later');
  await switchOver(folders, { steps: [{ kind: 'remove', path: 'data/level1' }], state: [] });
  assert.equal(readFileSync(join(elsewhere, 'level1'), 'utf8'), 'of somebody else');
});

test('a file replaces a link, not what the link leads to', async () => {
  const folders = install({ target: 'kept' }, { 0: 'new' });
  symlinkSync('target', join(folders.game, 'game'));
  await switchOver(folders, { steps: [put('game', '0')], state: [] });
  assert.deepEqual(treeOf(folders), { target: 'kept', game: 'new' });
});

test('a folder with files of the player is not replaced by a file', async () => {
  const folders = install({ 'mods/mine': 'by the player' }, { 0: 'new' });
  await assert.rejects(switchOver(folders, { steps: [put('mods', '0')], state: [] }), /isn't empty/);
  assert.equal(treeOf(folders)['mods/mine'], 'by the player');
});
