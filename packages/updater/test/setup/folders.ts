// Folders of games for tests, and what is in them.
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Tree } from './origin.ts';

export function makeFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'updater-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function write(folder: string, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

/** Everything outside of the state folder, as a test compares it: a file as its content, and `*` at the end of programs. */
export function read(folder: string): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(folder.length + 1);
    if (name === '.chauffeur' || name.startsWith('.chauffeur/')) continue;
    if (entry.isSymbolicLink()) tree[name] = `-> ${readlinkSync(path)}`;
    else if (entry.isDirectory()) tree[name] = 'folder';
    else tree[name] = readFileSync(path, 'latin1') + ((lstatSync(path).mode & 0o100) === 0 ? '' : '*');
  }
  return sorted(tree);
}

/** What `read` returns for a tree that was installed. */
export function expected(tree: Tree): Record<string, string> {
  const all: Record<string, string> = {};
  for (const [path, content] of Object.entries(tree)) {
    for (let parent = dirname(path); parent !== '.'; parent = dirname(parent)) all[parent] = 'folder';
    const text = content === null ? 'folder' : Buffer.isBuffer(content) ? content.toString('latin1') : content;
    all[path] = path.startsWith('bin/') && content !== null && !text.startsWith('-> ') ? `${text}*` : text;
  }
  return sorted(all);
}

function sorted(tree: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tree).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Bytes that are the same for a seed, and don't get smaller. */
export function noise(length: number, seed: number): Buffer {
  let state = seed >>> 0;
  return Buffer.from(
    Uint8Array.from({ length }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state >>> 24;
    }),
  );
}
