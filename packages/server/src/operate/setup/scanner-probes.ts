// Builds what a virus scanner is tested with, in memory, so that no scanner reports a file of ours.
// cspell:ignore SURIVITNA DRADNATS RACIE
import { crc32 } from 'node:zlib';

/**
 * The EICAR test file, which every virus scanner reports although it is harmless (eicar.org). Reversed in the source.
 */
export function eicarFile(): Buffer {
  return Buffer.from([...'*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X'].reverse().join(''));
}

/** More levels than clamd unpacks with any MaxRecursion, of which 100 is the maximum. */
const LEVELS = 110;

/** A zip in a zip, and so on. clamd gives up at MaxRecursion, and reports that only with AlertExceedsMax. */
export function nestedZip(): Buffer {
  let inner = Buffer.from('the innermost file');
  for (let level = 0; level < LEVELS; level += 1) inner = zipOf('inner.zip', inner);
  return inner;
}

/** A zip whose entry is marked as encrypted. clamd reports that only with AlertEncrypted. */
export function encryptedZip(): Buffer {
  return zipOf('secret.bin', Buffer.alloc(64, 0x5a), ENCRYPTED);
}

const CHUNK = Buffer.alloc(256 * 1024);

/** Yields this number of zero bytes. */
export async function* zeros(length: number): AsyncGenerator<Uint8Array> {
  for (let rest = length; rest > 0; rest -= CHUNK.length) yield CHUNK.subarray(0, rest);
}

const ENCRYPTED = 1;
const ZIP_VERSION = 20;

/** A zip with one stored entry (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). */
function zipOf(name: string, content: Buffer, flags = 0): Buffer<ArrayBuffer> {
  // These are the fields from the version to the length of the extra field, which the local header and the directory
  // share.
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(ZIP_VERSION, 0);
  shared.writeUInt16LE(flags, 2);
  shared.writeUInt32LE(crc32(content), 10);
  shared.writeUInt32LE(content.length, 14);
  shared.writeUInt32LE(content.length, 18);
  shared.writeUInt16LE(name.length, 22);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, Buffer.from(name), content]);
  const versionMadeBy = Buffer.from([ZIP_VERSION, 0]);
  // Comment, disk, attributes and the offset of the local header are all 0.
  const record = Buffer.concat([Buffer.from('PK\x01\x02'), versionMadeBy, shared, Buffer.alloc(14), Buffer.from(name)]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(record.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, record, end]);
}
