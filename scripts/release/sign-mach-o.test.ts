import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { signMachO } from './sign-mach-o.ts';

const TEXT_OFFSET = 0x1000;
const LINK_EDIT_OFFSET = 0x3000;
const PAGE = 4096;

/** A 64-bit Mach-O file with a __TEXT segment of one section, and a __LINKEDIT segment at the end. */
function machO({ sectionAt = TEXT_OFFSET, bytes = LINK_EDIT_OFFSET + 100, linkEdit = '__LINKEDIT' } = {}): Buffer {
  const file = Buffer.alloc(bytes, 7);
  file.fill(0, 0, TEXT_OFFSET);
  const commands = 2;
  const sizes = { text: 72 + 80, linkEdit: 72 };
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(commands, 16);
  file.writeUInt32LE(sizes.text + sizes.linkEdit, 20);
  const text = 32;
  file.writeUInt32LE(0x19, text);
  file.writeUInt32LE(sizes.text, text + 4);
  file.write('__TEXT', text + 8, 'latin1');
  file.writeBigUInt64LE(0n, text + 40);
  file.writeBigUInt64LE(BigInt(LINK_EDIT_OFFSET), text + 48);
  file.writeUInt32LE(1, text + 64);
  file.writeUInt32LE(sectionAt, text + 72 + 48);
  const last = text + sizes.text;
  file.writeUInt32LE(0x19, last);
  file.writeUInt32LE(sizes.linkEdit, last + 4);
  file.write(linkEdit, last + 8, 'latin1');
  file.writeBigUInt64LE(BigInt(LINK_EDIT_OFFSET), last + 40);
  file.writeBigUInt64LE(BigInt(bytes - LINK_EDIT_OFFSET), last + 48);
  return file;
}

/** Reads a signature as macOS does, and checks it: the load command, the super blob and the hash of every page. */
function verify(file: Buffer): { identifier: string; flags: number; textSize: bigint } {
  const commands = Array.from({ length: file.readUInt32LE(16) }).reduce<number[]>(
    (all) => [...all, (all.at(-1) ?? 0) + file.readUInt32LE((all.at(-1) ?? 0) + 4)],
    [32],
  );
  const at = commands.find((command) => file.readUInt32LE(command) === 0x1d);
  assert.ok(at !== undefined, 'a load command for the signature');
  const [offset, size] = [file.readUInt32LE(at + 8), file.readUInt32LE(at + 12)];
  assert.equal(offset % 16, 0);
  assert.equal(offset + size, file.length, 'the signature ends the file');
  const linkEdit = commands.find((command) => file.toString('latin1', command + 8, command + 18) === '__LINKEDIT') ?? 0;
  assert.equal(file.readBigUInt64LE(linkEdit + 40) + file.readBigUInt64LE(linkEdit + 48), BigInt(file.length));
  assert.ok(file.readBigUInt64LE(linkEdit + 32) >= file.readBigUInt64LE(linkEdit + 48));
  assert.equal(file.readUInt32BE(offset), 0xfade0cc0);
  assert.equal(file.readUInt32BE(offset + 8), 1);
  const directory = file.subarray(offset + file.readUInt32BE(offset + 16));
  assert.equal(directory.readUInt32BE(0), 0xfade0c02);
  const [hashes, identifierAt, pages, limit] = [16, 20, 28, 32].map((field) =>
    directory.readUInt32BE(field),
  ) as number[];
  assert.equal(limit, offset);
  assert.equal(pages, Math.ceil(offset / PAGE));
  for (let page = 0; page < pages!; page++) {
    const digest = createHash('sha256')
      .update(file.subarray(page * PAGE, Math.min((page + 1) * PAGE, offset)))
      .digest();
    assert.deepEqual(directory.subarray(hashes! + page * 32, hashes! + (page + 1) * 32), digest, `page ${page}`);
  }
  const identifier = directory.toString('latin1', identifierAt, directory.indexOf(0, identifierAt));
  return { identifier, flags: directory.readUInt32BE(12), textSize: directory.readBigUInt64BE(72) };
}

describe('signMachO', () => {
  it('adds a signature whose hashes match, and changes nothing that is not a load command', () => {
    const program = machO();
    const signed = signMachO(program, 'chauffeur');
    assert.deepEqual(verify(signed), { identifier: 'chauffeur', flags: 0x20002, textSize: BigInt(LINK_EDIT_OFFSET) });
    assert.deepEqual(signed.subarray(TEXT_OFFSET, program.length), program.subarray(TEXT_OFFSET));
  });

  it('replaces a signature', () => {
    const once = signMachO(machO(), 'a-long-name-that-takes-more-room');
    const twice = signMachO(once, 'chauffeur');
    assert.equal(verify(twice).identifier, 'chauffeur');
    assert.deepEqual(twice, signMachO(machO(), 'chauffeur'));
  });

  it('signs files that end at any place in a page', () => {
    for (const bytes of [LINK_EDIT_OFFSET, LINK_EDIT_OFFSET + 1, LINK_EDIT_OFFSET + 4095, LINK_EDIT_OFFSET + 4096]) {
      verify(signMachO(machO({ bytes }), 'chauffeur'));
    }
  });

  it('refuses files that cannot take a signature', () => {
    assert.throws(() => signMachO(Buffer.from('MZ'), 'x'), /not a 64-bit Mach-O file/);
    assert.throws(() => signMachO(machO({ linkEdit: '__OTHER' }), 'x'), /no __LINKEDIT/);
    assert.throws(() => signMachO(machO({ sectionAt: 32 + 72 + 80 + 72 + 8 }), 'x'), /no space/);
  });
});
