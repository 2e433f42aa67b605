// Malformed zips and zip bombs instead of symbols: refused with a reason, within limits, without leaving data behind.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import { ERRORS, type ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS, MIB } from '@chauffeur/contract/limits';
import { makeGame, startServer, type TestGame, type TestServer } from './setup/server.ts';
import { NOTHING_STORED, sendSymbols, storedCountsOf, symText } from './setup/symbols.ts';
import { register, smallZip } from './setup/uploads.ts';
import { buildZip, type ZipPiece } from './setup/zips.ts';

let server: TestServer;
let game: TestGame;
let buildId: string;
before(async () => {
  server = await startServer({ env: { CHAUFFEUR_LIMIT_SYMBOL_UPLOADS: '0' }, role: 'api' });
  game = await makeGame(server);
  buildId = await register(server, game);
});
after(() => server.stop());

const text = symText();
const good: ZipPiece = { name: 'good.sym', data: symText({ file: 'good.so' }), method: 8 };
const manyLines = Buffer.concat([text, Buffer.alloc(MIB, '10 8 3 0\n')]);
const header = `MODULE Linux x86_64 ${'A'.repeat(33)} bomb.so\n`;
/** 600 MB of zeros in 600 KB, after a valid first line. */
const bomb = () => deflateRawSync(Buffer.concat([Buffer.from(header), Buffer.alloc(600 * MIB)]), { level: 1 });

const zips: [what: string, code: ErrorCode, message: RegExp, zip: () => Buffer][] = [
  [
    'a file of another type',
    4049,
    /“readme\.txt” is not a supported symbol file/,
    () => buildZip([good, { name: 'readme.txt', data: 'x' }]),
  ],
  [
    'a zip inside',
    4049,
    /“more\.zip” is not a supported symbol file/,
    () => buildZip([good, { name: 'more.zip', data: smallZip() }]),
  ],
  [
    'a link',
    4049,
    /“a\.sym” is not a supported symbol file/,
    () => buildZip([good, { name: 'a.sym', data: '/etc/passwd', mode: 0o120777 }]),
  ],
  [
    'an unsupported system',
    4049,
    /operating system/,
    () => buildZip([good, { name: 'a.sym', data: symText({ os: 'BeOS' }) }]),
  ],
  ['an empty file', 4049, /“a\.sym” is not a supported symbol file/, () => buildZip([good, { name: 'a.sym' }])],
  ['no entry', 4049, /contains no files/, () => buildZip([])],
  ['only folders', 4049, /contains no files/, () => buildZip([{ name: 'a/', mode: 0o040755 }])],
  ['a missing end', 4049, /^The \.zip cannot be read/, () => buildZip([good]).subarray(0, -10)],
  ['only its first bytes', 4049, /^The \.zip cannot be read/, () => Buffer.from('PK\x03\x04')],
  [
    'a path outside its folder',
    4049,
    /invalid relative path/,
    () => buildZip([good, { name: '../../a.sym', data: text }]),
  ],
  ['an absolute path', 4049, /absolute path/, () => buildZip([good, { name: '/etc/a.sym', data: text }])],
  [
    'an encrypted entry',
    4049,
    /“a\.sym” cannot be read \(entry is encrypted/,
    () => buildZip([good, { name: 'a.sym', data: text, method: 8, flags: 0x801 }]),
  ],
  [
    'an unknown compression',
    4049,
    /unsupported compression method: 14/,
    () => buildZip([good, { name: 'a.sym', data: text, method: 14 }]),
  ],
  [
    'a damaged stream',
    4049,
    /“a\.sym” cannot be read/,
    () => buildZip([good, { name: 'a.sym', data: text, method: 8, packed: Buffer.alloc(50, 7) }]),
  ],
  [
    'a wrong CRC',
    4049,
    /“a\.sym” cannot be read \(its checksum is wrong/,
    () => buildZip([good, { name: 'a.sym', data: text, method: 8, crc: 1 }]),
  ],
  [
    'an entry that is larger than announced',
    4049,
    /“a\.sym” cannot be read \(too many bytes/,
    () => buildZip([good, { name: 'a.sym', data: manyLines, method: 8, size: text.length }]),
  ],
  [
    'an entry that is smaller than announced',
    4049,
    /“a\.sym” cannot be read \(not enough bytes/,
    () => buildZip([good, { name: 'a.sym', data: text, method: 8, size: 9999 }]),
  ],
  [
    'an entry beyond its end',
    4049,
    /cannot be read/,
    () => buildZip([good, { name: 'a.sym', data: text, recordOnly: true, offset: 1e9 }]),
  ],
  ['a wrong entry count', 4049, /cannot be read/, () => buildZip([good], { count: 3 })],
  [
    'a file that is too large by its announced size',
    4043,
    /“a\.sym” is larger than 512 MB/,
    () => buildZip([good, { name: 'a.sym', data: text, method: 8, size: LIMITS.symbolFileBytes + 1 }]),
  ],
  [
    'files that are too large in total',
    4043,
    /unpacks to more than 2 GB/,
    () =>
      buildZip(
        Array.from({ length: 5 }, (_, i) => ({
          name: `${i}.sym`,
          data: text,
          method: 8,
          packed: Buffer.alloc(0),
          size: LIMITS.symbolFileBytes,
          recordOnly: i > 0,
          offset: 0,
        })),
      ),
  ],
  [
    'too many files',
    4043,
    /more than 200 symbol files/,
    () => buildZip(Array.from({ length: 201 }, (_, i) => ({ name: `${i}.sym`, data: symText({ file: `${i}.so` }) }))),
  ],
  [
    'too many folders',
    4043,
    /more than 200 symbol files/,
    () => buildZip(Array.from({ length: 2001 }, (_, i) => ({ name: `${i}/` }))),
  ],
];

for (const [what, code, message, zip] of zips) {
  test(`a zip with ${what} is refused with ${code}`, async () => {
    const { status, body } = await sendSymbols(server, game, buildId, zip(), { filename: 'symbols.zip' });
    assert.deepEqual([status, body.error?.code], [ERRORS[code].status, code], String(body.error?.message));
    assert.match(body.error?.message ?? '', message);
    assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
  });
}

test('a zip bomb that announces a small size is stopped at that size without using more memory', async () => {
  const packed = bomb();
  const zip = buildZip([good, { name: 'bomb.sym', method: 8, packed, size: 100_000 }]);
  const before = process.memoryUsage().rss;
  const { body } = await sendSymbols(server, game, buildId, zip);
  assert.match(body.error?.message ?? '', /“bomb\.sym” cannot be read \(too many bytes/);
  assert.ok(process.memoryUsage().rss - before < 200 * MIB);
  assert.deepEqual(await storedCountsOf(server, game), NOTHING_STORED);
});

test('a name in a message stays on one line and cannot reverse the text direction', async () => {
  const zip = buildZip([{ name: `a\u202Egnp.sym\n${'x'.repeat(500)}`, data: 'x' }]);
  const { body } = await sendSymbols(server, game, buildId, zip);
  assert.match(body.error?.message ?? '', /^“…x{80}” is not a supported symbol file/);
  const short = await sendSymbols(server, game, buildId, buildZip([{ name: 'a\u202Eg\n.sym', data: 'x' }]));
  assert.match(short.body.error?.message ?? '', /^“a\?g\?\.sym” is not/);
});
