import assert from 'node:assert/strict';
import { it } from 'node:test';
import { attachmentKindOf, sniff } from './store-file.ts';

for (const [content, kind] of [
  [Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), 'image'],
  [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'text'],
  [Buffer.from('<script>alert(1)</script>'), 'text'],
  [Buffer.from('größe: 3\n\x1b[31mred'), 'text'],
  [Buffer.from('größe').subarray(0, 3), 'text'],
  [Buffer.from([0x4d, 0x44, 0x4d, 0x50, 0]), 'other'],
  [Buffer.from([0xff, 0xfe, 0x41, 0x00]), 'text'],
  [Buffer.from('\ufefflevel: 3\0\n', 'utf16le'), 'other'],
  [Buffer.from('level: 3\n', 'utf16le').swap16(), 'text'],
  [Buffer.alloc(0), 'text'],
] as const)
  it(`finds ${kind} in ${JSON.stringify(content.toString('latin1'))}`, () =>
    assert.equal(attachmentKindOf(content), kind));

it('passes on all bytes, and looks only at the first', async () => {
  async function* parts() {
    for (let part = 0; part < 3; part += 1) yield Buffer.alloc(3000, part === 2 ? 0 : 65);
  }
  const { source, kind } = sniff(parts());
  let size = 0;
  for await (const bytes of source) size += bytes.length;
  assert.deepEqual([size, kind()], [9000, 'text']);
});
