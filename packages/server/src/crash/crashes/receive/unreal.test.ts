import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import fc from 'fast-check';
import { BadArchiveError, detailsOfContext, elementOf, listArchive } from './unreal.ts';

const folder = await mkdtemp(join(tmpdir(), 'chauffeur-archive-'));
after(() => rm(folder, { recursive: true }));

async function list(bytes: Uint8Array) {
  await using file: FileHandle = await open(join(folder, 'archive'), 'w+');
  await file.writeFile(bytes);
  return await listArchive(file);
}

const int32 = (value: number) => Buffer.from(new Int32Array([value]).buffer);
const name = (text: string, padded = text.length) =>
  Buffer.concat([int32(padded), Buffer.from(text.padEnd(padded, '\0'))]);
const header = (count: number) => Buffer.concat([name('dir'), name('file'), int32(0), int32(count)]);
const entry = (no: number, text: string, content: string, padded?: number) =>
  Buffer.concat([int32(no), name(text, padded), int32(content.length), Buffer.from(content)]);

describe('listArchive', () => {
  const entries = Buffer.concat([entry(0, 'a.log', 'hello', 20), entry(1, 'b', 'MDMPx'), entry(2, 'c', '')]);
  const filesAt = (start: number) => [
    { name: 'a.log', start: start + 32, size: 5, magic: 'hell' },
    { name: 'b', start: start + 37 + 13, size: 5, magic: 'MDMP' },
    { name: 'c', start: start + 37 + 18 + 13, size: 0, magic: '' },
  ];

  it('finds the files after the marker and its header', async () => {
    const marked = Buffer.concat([Buffer.from('CR1'), header(3), entries]);
    assert.deepEqual(await list(marked), filesAt(3 + header(3).length));
  });

  it('finds the files after the placeholder, by the number at the end', async () => {
    assert.deepEqual(await list(Buffer.concat([header(0), entries, header(3)])), filesAt(header(0).length));
  });

  it('returns the complete files of a truncated archive', async () => {
    const marked = Buffer.concat([Buffer.from('CR1'), header(3), entries.subarray(0, 45)]);
    assert.deepEqual(
      (await list(marked)).map((file) => file.name),
      ['a.log'],
    );
  });

  it('refuses impossible numbers of files', async () => {
    for (const count of [-1, 101, 0x7fffffff])
      await assert.rejects(list(Buffer.concat([Buffer.from('CR1'), header(count), entries])), BadArchiveError);
  });

  it('throws nothing else, and returns no positions outside, for any bytes', async () => {
    const marked = Buffer.concat([Buffer.from('CR1'), header(3), entries]);
    const change = fc.record({ at: fc.nat(marked.length - 1), byte: fc.nat(255), keep: fc.nat(marked.length) });
    await fc.assert(
      fc.asyncProperty(change, fc.boolean(), async ({ at, byte, keep }, whole) => {
        const bytes = Buffer.from(marked);
        bytes[at] = byte;
        const input = whole ? bytes : bytes.subarray(0, keep);
        const files = await list(input).catch((error) => {
          assert.ok(error instanceof BadArchiveError, String(error));
          return [];
        });
        for (const { start, size } of files) assert.ok(start >= 0 && size >= 0 && start + size <= input.length);
      }),
    );
    await assert.rejects(list(randomBytes(2)), BadArchiveError);
  });
});

describe('an element of the context', () => {
  for (const [xml, text] of [
    ['<A>x</A>', 'x'],
    ['<A> x\n</A><A>y</A>', 'x'],
    ['<A></A>', ''],
    ['<B>x</B>', ''],
    ['<A>x', ''],
    ['<A>', ''],
    ['<A>x<B/></A>', ''],
    ['<A>&lt;&gt;&amp;&quot;&apos;</A>', `<>&"'`],
    ['<A>&#65;&#x1F631;&#x110000;</A>', 'A😱&#x110000;'],
    ['<A>&amp;lt; &nbsp; &</A>', '&lt; &nbsp; &'],
    ['<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><A>&e;</A>', '&e;'],
  ] as const) {
    it(`is ${JSON.stringify(text)} in ${xml}`, () => assert.equal(elementOf(xml, 'A'), text));
  }

  it('is found quickly in a large text of opening tags', () => {
    const started = process.threadCpuUsage();
    elementOf('<A>'.repeat(1_000_000), 'A');
    assert.ok(process.threadCpuUsage(started).user < 500_000);
  });
});

for (const [platform, os] of [
  ['WindowsNoEditor', 'windows'],
  ['Win64', 'win'],
  ['LinuxServer', 'linux'],
  ['Mac', 'mac'],
  ['IOS', 'ios'],
  ['PS5', 'PS5'],
] as const) {
  it(`maps ${platform} to ${os}`, () =>
    assert.equal(detailsOfContext(`<PlatformName>${platform}</PlatformName>`, []).os, os));
}

it("keeps nothing about the player's account or machine", () => {
  const ids = ['LoginId', 'MachineId', 'EpicAccountId', 'UserName'].map((name) => `<${name}>secret</${name}>`);
  assert.doesNotMatch(JSON.stringify(detailsOfContext(ids.join(''), [])), /secret/);
});
