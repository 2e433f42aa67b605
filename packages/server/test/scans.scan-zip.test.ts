import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { after, before, describe, it, type TestContext } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { createClamdScanner } from '../src/kernel/scanner/clamd.ts';
import { type Scanner, ScannerUnavailableError } from '../src/kernel/scanner/scanner.ts';
import type { Examination } from '../src/ship/scans/examine.ts';
import { scanZip } from '../src/ship/scans/scan-zip.ts';
import {
  CLAMD_STREAM_LIMIT,
  EICAR,
  EICAR_SIGNATURE,
  NO_CLAMD,
  openScanner,
  type RunningClamd,
  startClamd,
} from './setup/clamd.ts';
import { buildZip, ordinaryPieces, storeZip, type ZipPiece } from './setup/zips.ts';

const MIB = 1024 * 1024;

async function scan(t: TestContext, bytes: Buffer, scanner: Scanner | null = null): Promise<Examination> {
  const zip = await storeZip(bytes);
  t.after(zip.remove);
  return scanZip(zip.store, zip.key, zip.size, scanner);
}

/** Why a zip of these pieces fails without a scanner. */
async function failure(t: TestContext, pieces: readonly ZipPiece[]): Promise<string> {
  const { outcome, detail, entries } = await scan(t, buildZip(pieces));
  assert.equal(outcome, 'failed');
  assert.deepEqual(entries, []);
  return detail ?? '';
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

describe('scanZip without a scanner', () => {
  it('lists every entry with the SHA-256 of its content, in directory order', async (t) => {
    const pieces = [
      ...ordinaryPieces(),
      { name: 'link', data: 'data/map.bin', mode: 0o120777 },
      { name: 'empty', method: 8 },
    ];
    const { outcome, detail, engine, entries } = await scan(t, buildZip(pieces, { comment: 'x' }));
    assert.deepEqual([outcome, detail, engine], ['unscanned', null, null]);
    assert.deepEqual(
      entries,
      pieces.map(({ name, data = '' }) => ({
        path: name,
        type: name === 'data/' ? 'folder' : name === 'link' ? 'symlink' : 'file',
        size: Buffer.byteLength(data),
        sha256: name === 'data/' ? null : sha256(data),
      })),
    );
  });

  it('reads entries in any file order, and the bytes between them', async (t) => {
    const contents = ['a'.repeat(100), 'b'.repeat(100), 'c'];
    const pieces = contents.map((data, index) => ({
      name: data[0]!,
      data,
      method: 8,
      before: Buffer.alloc(index * 50),
    }));
    const { outcome, entries } = await scan(t, buildZip(pieces, { reversed: true }));
    assert.equal(outcome, 'unscanned');
    assert.deepEqual(
      entries.map(({ path, sha256: hash }) => [path, hash]),
      contents.toReversed().map((data) => [data[0], sha256(data)]),
    );
  });

  it('reads content that spans many pieces', async (t) => {
    const data = Buffer.concat([randomBytes(9 * MIB), Buffer.alloc(20 * MIB)]);
    const pieces = [8, 0].map((method) => ({ name: `m${method}`, data, method }));
    const { entries } = await scan(t, buildZip(pieces));
    assert.deepEqual(
      entries.map(({ sha256: hash }) => hash),
      [sha256(data), sha256(data)],
    );
  });

  it('fails a zip whose directory breaks a rule', async (t) => {
    assert.match(await failure(t, [{ name: '../a', data: 'x' }]), /leads out of the archive/);
    assert.equal((await scan(t, Buffer.from('MZ no zip'))).outcome, 'failed');
  });

  it('fails a wrong CRC-32', async (t) => {
    assert.match(await failure(t, [{ name: 'a', data: 'x', crc: 1 }]), /“a” does not match its CRC-32/);
    assert.match(await failure(t, [{ name: 'a', data: 'x', crc: 1, method: 8, descriptor: true }]), /CRC-32/);
  });

  it('fails a wrong size before unpacking more than announced', async (t) => {
    const bomb = { name: 'a', data: Buffer.alloc(5 * MIB), method: 8 };
    for (const size of [100, 0, 1_000_000]) {
      assert.match(await failure(t, [{ ...bomb, size }]), /larger than the directory says/);
    }
    assert.match(await failure(t, [{ name: 'a', data: 'xyz', method: 8, size: 4 }]), /smaller than the directory says/);
  });

  it('fails a broken or truncated deflate stream and one followed by other bytes', async (t) => {
    // Small content is inflated in one call, large content as a stream.
    for (const data of [randomBytes(1000), randomBytes(500_000)]) {
      const whole = deflateRawSync(data);
      const broken = Buffer.from(whole).fill(0xff, 0, 20);
      assert.match(await failure(t, [{ name: 'a', data, method: 8, packed: broken }]), /damaged compressed data/);
      const cut = whole.subarray(0, -5);
      assert.match(await failure(t, [{ name: 'a', data, method: 8, packed: cut }]), /damaged compressed data/);
      for (const extra of [1, 100_000]) {
        const packed = Buffer.concat([whole, Buffer.alloc(extra)]);
        assert.match(await failure(t, [{ name: 'a', data, method: 8, packed }]), /bytes after its compressed data/);
      }
    }
  });

  it('fails a local header that contradicts the directory', async (t) => {
    const wrongHeaders: ZipPiece['local'][] = [
      { name: 'b' },
      { name: '../a' },
      { method: 8 },
      { size: 7 },
      { flags: 1 },
    ];
    for (const local of wrongHeaders) {
      assert.match(await failure(t, [{ name: 'a', data: 'x', ...(local && { local }) }]), /contradictory headers/);
    }
    assert.match(
      await failure(t, [{ name: 'a', data: 'x'.repeat(90), offset: 1 }, { name: 'b' }]),
      /not where|overlaps/,
    );
  });

  it('fails symbolic links that leave the archive', async (t) => {
    const file = { name: 'd/f', data: 'x' };
    assert.match(await failure(t, [file, { name: 'l', data: '../x', mode: 0o120777 }]), /leads out of the archive/);
    assert.match(await failure(t, [file, { name: 'l', data: '/etc', mode: 0o120777, method: 8 }]), /absolute path/);
    assert.match(await failure(t, [file, { name: 'D', data: '.', mode: 0o120777 }]), /below the symbolic link/);
    const loop = ['b', 'a'].map((data): ZipPiece => ({ name: data === 'a' ? 'b' : 'a', data, mode: 0o120777 }));
    assert.match(await failure(t, [file, ...loop]), /“a” leads back to itself/);
    assert.match(await failure(t, [file, { name: 'l', data: '.', mode: 0o120777 }]), /folder that contains the link/);
  });
});

describe('scanZip with clamd', () => {
  let clamd: RunningClamd | null = null;
  before(async () => {
    clamd = await startClamd();
  });
  after(() => clamd?.stop());

  const open = (t: TestContext, streamLimit?: number) => openScanner(t, clamd, streamLimit);

  /** Larger, packed plus unpacked, than the limit of this scanner for one stream. */
  const small = 256 * 1024;
  const filler: ZipPiece = { name: 'filler', data: randomBytes(small) };

  it('reports an ordinary zip as clean, in one stream and entry by entry', async (t) => {
    for (const [limit, pieces] of [
      [CLAMD_STREAM_LIMIT, ordinaryPieces()],
      [small, [filler, ...ordinaryPieces()]],
    ] as const) {
      const scanner = open(t, limit);
      if (!scanner) return;
      const { outcome, detail, engine, entries } = await scan(t, buildZip(pieces), scanner);
      assert.deepEqual([outcome, detail, entries.length], ['clean', null, pieces.length]);
      assert.match(engine ?? '', /^ClamAV/);
    }
  });

  it('names the infected entry, in one stream and entry by entry', async (t) => {
    for (const [limit, pieces] of [
      [CLAMD_STREAM_LIMIT, []],
      [small, [filler]],
    ] as const) {
      const scanner = open(t, limit);
      if (!scanner) return;
      const virus = { name: 'data/eicar.com', data: EICAR, method: 8 };
      const { outcome, detail, entries } = await scan(t, buildZip([...pieces, ...ordinaryPieces(), virus]), scanner);
      assert.deepEqual([outcome, entries], ['infected', []]);
      assert.equal(detail, `The scanner found ${EICAR_SIGNATURE} in “data/eicar.com”.`);
    }
  });

  it('finds a virus across the boundary of two windows of a large entry', async (t) => {
    const scanner = open(t, small);
    if (!scanner) return;
    for (const boundary of [small, 2 * small - small / 8, 3 * small - small / 4]) {
      for (const method of [0, 8]) {
        const data = randomBytes(3 * small);
        EICAR.copy(data, boundary - EICAR.length / 2);
        const { outcome, detail } = await scan(t, buildZip([{ name: 'game.pak', data, method }]), scanner);
        assert.deepEqual([outcome, detail], ['infected', `The scanner found ${EICAR_SIGNATURE} in “game.pak”.`]);
      }
    }
  });

  it('finds a virus in bytes that belong to no entry', async (t) => {
    const scanner = open(t, small);
    if (!scanner) return;
    const { outcome, detail } = await scan(t, buildZip([filler, { name: 'a', data: 'x', before: EICAR }]), scanner);
    assert.deepEqual(
      [outcome, detail],
      ['infected', `The scanner found ${EICAR_SIGNATURE} in the bytes that belong to no entry.`],
    );
    const comment = await scan(t, buildZip([filler], { comment: EICAR.toString() }), scanner);
    assert.equal(comment.outcome, 'infected');
  });

  it('never reports skipped parts as clean, and lists the first ten', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const locked = buildZip([{ name: 'secret', data: 'x'.repeat(64), flags: 1 }]);
    const pieces = Array.from({ length: 12 }, (_, index) => ({ name: `${index}.zip`, data: locked }));
    const { outcome, detail, entries } = await scan(t, buildZip([...ordinaryPieces(), ...pieces]), scanner);
    assert.equal(outcome, 'failed');
    assert.match(detail ?? '', /“0\.zip” \(Heuristics\.Encrypted\.Zip\), .*“9\.zip” \([^)]*\) and 2 more\. /);
    assert.equal(entries.length, 16);
  });

  it('reports content as skipped if clamd has a lower limit than configured', async (t) => {
    const scanner = open(t, 2 * CLAMD_STREAM_LIMIT);
    if (!scanner) return;
    const { outcome, detail } = await scan(
      t,
      buildZip([{ name: 'a.pak', data: Buffer.alloc(40 * MIB, 'ab') }]),
      scanner,
    );
    assert.equal(outcome, 'failed');
    assert.match(detail ?? '', /“a\.pak” \(longer than clamd’s StreamMaxLength\)/);
  });

  it('reports a zip that is infected and damaged as infected', async (t) => {
    const scanner = open(t);
    if (!scanner) return;
    const zip = buildZip([
      { name: 'a', data: 'x', crc: 1 },
      { name: 'eicar.com', data: EICAR },
    ]);
    assert.equal((await scan(t, zip, scanner)).outcome, 'infected');
  });

  it('rejects with ScannerUnavailableError if clamd dies during the scan', async (t) => {
    const stoppedClamd = await startClamd();
    if (stoppedClamd === null) return t.skip(NO_CLAMD);
    t.after(stoppedClamd.stop);
    const scanner = createClamdScanner({ address: stoppedClamd.address, streamLimit: small });
    const pieces = Array.from({ length: 300 }, (_, index) => ({ name: `${index}`, data: randomBytes(100_000) }));
    const rejected = assert.rejects(scan(t, buildZip(pieces), scanner), ScannerUnavailableError);
    await stoppedClamd.kill();
    await rejected;
  });

  it('rejects with ScannerUnavailableError if clamd is not running', async (t) => {
    const scanner = createClamdScanner({ address: 'unix:/nowhere/clamd.ctl', streamLimit: MIB });
    await assert.rejects(scan(t, buildZip(ordinaryPieces()), scanner), ScannerUnavailableError);
  });
});
