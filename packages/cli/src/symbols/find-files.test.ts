// Tests what is found in archives of all kinds, also in hostile ones.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { packXz, WITHOUT_XZ } from '../../../debug-symbols/test/xz-command.ts';
import { tempFolder, writeTree } from '../../test/setup/temp.ts';
import { findFiles } from './find-files.ts';

const SYMBOLS = `MODULE Linux x86_64 ${'A'.repeat(32)}0 game\nFUNC 1000 10 0 main\n`;

async function find(t: TestContext, ...paths: string[]) {
  const temp = tempFolder(t);
  const { files, warnings } = await findFiles(paths, temp, new AbortController().signal);
  return {
    found: files.map(({ name, path }) => `${name} ${readFileSync(path, 'utf8') === SYMBOLS}`).sort(),
    warnings,
    temp,
  };
}

const xz = (content: Uint8Array | string) => packXz(content, '-1');

function tarOf(cwd: string, files: Record<string, string>): Buffer {
  writeTree(cwd, files);
  return execFileSync('tar', ['-c', ...Object.keys(files)], { cwd, maxBuffer: 2 ** 30 });
}

test('symbols are found in compressed files and tars of all kinds', { skip: WITHOUT_XZ }, async (t) => {
  const cwd = tempFolder(t);
  const tar = tarOf(tempFolder(t), { 'bin/game.sym': SYMBOLS, 'image.png': 'no symbols' });
  const files = {
    'game.sym.gz': gzipSync(SYMBOLS),
    'game.sym.zst': zstdCompressSync(SYMBOLS),
    'game.sym.xz': xz(SYMBOLS),
    'all.tar.gz': gzipSync(tar),
    'all.tar.zst': zstdCompressSync(tar),
    'all.tar.xz': xz(tar),
    'all.txz': xz(tar),
    'nested.tar.xz.zst': zstdCompressSync(xz(tar)),
    'texture.bin.zst': zstdCompressSync('a texture'),
    'unnamed-archive': zstdCompressSync(SYMBOLS),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const { found, warnings } = await find(t, cwd);
  const members = Array.from({ length: 5 }, () => 'bin/game.sym true');
  assert.deepEqual(found, [...members, ...Array.from({ length: 3 }, () => 'game.sym true')]);
  assert.deepEqual(warnings, []);
  // A file that is named is read whatever it is called.
  assert.deepEqual((await find(t, join(cwd, 'unnamed-archive'))).found, ['unnamed-archive true']);
});

test('files that are damaged, cut off or made to fill a disk are left out with a warning', {
  skip: WITHOUT_XZ,
}, async (t) => {
  const cwd = tempFolder(t);
  const zeros = Buffer.alloc(300 * 1024 * 1024);
  const head = Buffer.from(SYMBOLS);
  const files = {
    'game.sym.gz': gzipSync(SYMBOLS),
    'cut.sym.xz': xz(SYMBOLS.repeat(9)).subarray(0, -20),
    'cut.sym.zst': zstdCompressSync(`${SYMBOLS.repeat(9)}${Math.E}`).subarray(0, -3),
    'bomb.sym.zst': zstdCompressSync(Buffer.concat([head, zeros])),
  };
  for (const [name, content] of Object.entries(files)) writeFileSync(join(cwd, name), content);
  const { found, warnings } = await find(t, cwd);
  assert.deepEqual(found, ['game.sym true']);
  assert.equal(warnings.length, 3, warnings.join('\n'));
  assert.match(warnings.join('\n'), /bomb\.sym\.zst cannot be unpacked: it unpacks to more than 200 times its size/);
});

test('names in archives lead to no other folder', async (t) => {
  const cwd = tempFolder(t);
  const inner = tempFolder(t);
  writeTree(inner, { 'game.sym': SYMBOLS });
  const args = ['-cP', '--transform=s|^|../../../tmp/|', 'game.sym'];
  writeFileSync(join(cwd, 'all.tar.zst'), zstdCompressSync(execFileSync('tar', args, { cwd: inner })));
  const { found, temp } = await find(t, cwd);
  assert.deepEqual(found, ['../../../tmp/game.sym true']);
  assert.deepEqual(
    readdirSync(temp, { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() ? [entry.name] : [],
    ),
    ['all.tar', 'game.sym'],
  );
});

test('archives in archives are unpacked only so deep', async (t) => {
  const cwd = tempFolder(t);
  let content: Buffer = Buffer.from(SYMBOLS);
  for (let depth = 0; depth < 6; depth += 1) content = zstdCompressSync(content);
  writeFileSync(join(cwd, `game.sym${'.zst'.repeat(6)}`), content);
  await assert.rejects(find(t, cwd), /contains no \.sym files/);
});

test('a 7z archive is refused with what to do', async (t) => {
  const cwd = tempFolder(t);
  const path = join(cwd, 'symbols.7z');
  writeFileSync(path, Buffer.from('377abcaf271c0004000000000000000000000000', 'hex'));
  await assert.rejects(find(t, path), { message: /it is a 7z archive/, remedy: /Unpack it/ });
});
