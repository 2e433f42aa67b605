// Signs a Mach-O program ad hoc, as macOS demands of every program on Apple silicon. An ad-hoc signature names no signer:
// it is a list of hashes of the program's pages (Apple's cs_blobs.h and mach-o/loader.h).
import { createHash } from 'node:crypto';

const MACH_O_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT_64 = 0x19;
const CODE_SIGNATURE = 0x1d;
const CODE_SIGNATURE_BYTES = 16;

const SUPER_BLOB = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
/** The version of a code directory that has the bounds of the executable segment. */
const CODE_DIRECTORY_VERSION = 0x20400;
const CODE_DIRECTORY_BYTES = 88;
const SUPER_BLOB_BYTES = 20;
/** CS_ADHOC and CS_LINKER_SIGNED: a later `codesign` may replace the signature without --force. */
const FLAGS = 0x20002;
const SHA256 = 2;
const HASH_BYTES = 32;
const PAGE_BITS = 12;
const PAGE_BYTES = 1 << PAGE_BITS;
const MAIN_BINARY = 1n;
/** The pages of memory that segments are rounded up to on Apple silicon. */
const SEGMENT_ALIGNMENT = 0x4000n;

type Segment = { at: number; fileOffset: bigint; fileSize: bigint };

/** Returns the signed program. Throws an Error if `program` is not a 64-bit Mach-O file that can take a signature. */
export function signMachO(program: Uint8Array, identifier: string): Buffer {
  const source = Buffer.from(program.buffer, program.byteOffset, program.byteLength);
  const { text, linkEdit, signatureCommand } = readCommands(source);
  const signedBytes = alignTo(signatureCommand.dataOffset ?? source.length, 16);
  const signatureBytes = sizeOfSignature(signedBytes, identifier);

  const signed = Buffer.alloc(signedBytes + signatureBytes);
  source.copy(signed, 0, 0, Math.min(source.length, signedBytes));
  writeSignatureCommand(signed, signatureCommand, signedBytes, signatureBytes);
  const linkEditSize = BigInt(signed.length) - linkEdit.fileOffset;
  signed.writeBigUInt64LE(roundUp(linkEditSize, SEGMENT_ALIGNMENT), linkEdit.at + 32);
  signed.writeBigUInt64LE(linkEditSize, linkEdit.at + 48);
  // Last, because it covers the load commands above.
  writeSignature(signed, signedBytes, identifier, text);
  return signed;
}

type SignatureCommand = { at: number; dataOffset: number | null };

function readCommands(file: Buffer): { text: Segment; linkEdit: Segment; signatureCommand: SignatureCommand } {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MACH_O_64) throw new Error('not a 64-bit Mach-O file');
  const commands = file.readUInt32LE(16);
  const end = HEADER_BYTES + file.readUInt32LE(20);
  let text: Segment | undefined;
  let linkEdit: Segment | undefined;
  let dataOffset: number | null = null;
  let signatureAt = end;
  let firstSection = Number.POSITIVE_INFINITY;
  for (let at = HEADER_BYTES, index = 0; index < commands; index++, at += file.readUInt32LE(at + 4)) {
    const command = file.readUInt32LE(at);
    if (command === CODE_SIGNATURE) {
      signatureAt = at;
      dataOffset = file.readUInt32LE(at + 8);
    }
    if (command !== SEGMENT_64) continue;
    const name = file.toString('latin1', at + 8, at + 24).replace(/\0+$/, '');
    const segment = { at, fileOffset: file.readBigUInt64LE(at + 40), fileSize: file.readBigUInt64LE(at + 48) };
    if (name === '__TEXT') {
      text = segment;
      firstSection = Math.min(firstSection, firstSectionOf(file, at));
    }
    if (name === '__LINKEDIT') linkEdit = segment;
  }
  if (text === undefined || linkEdit === undefined) throw new Error('the Mach-O file has no __TEXT or no __LINKEDIT');
  if (dataOffset === null && end + CODE_SIGNATURE_BYTES > firstSection) {
    throw new Error('the Mach-O file has no space for another load command');
  }
  return { text, linkEdit, signatureCommand: { at: signatureAt, dataOffset } };
}

function firstSectionOf(file: Buffer, segment: number): number {
  const sections = file.readUInt32LE(segment + 64);
  const offsets = Array.from({ length: sections }, (_, index) => file.readUInt32LE(segment + 72 + index * 80 + 48));
  return Math.min(...offsets.filter((offset) => offset > 0));
}

function writeSignatureCommand(file: Buffer, { at, dataOffset }: SignatureCommand, offset: number, size: number): void {
  if (dataOffset === null) {
    file.writeUInt32LE(file.readUInt32LE(16) + 1, 16);
    file.writeUInt32LE(file.readUInt32LE(20) + CODE_SIGNATURE_BYTES, 20);
  }
  for (const [index, value] of [CODE_SIGNATURE, CODE_SIGNATURE_BYTES, offset, size].entries()) {
    file.writeUInt32LE(value, at + index * 4);
  }
}

function sizeOfSignature(signedBytes: number, identifier: string): number {
  const hashes = Math.ceil(signedBytes / PAGE_BYTES) * HASH_BYTES;
  return alignTo(SUPER_BLOB_BYTES + CODE_DIRECTORY_BYTES + identifier.length + 1 + hashes, 16);
}

/** Writes a super blob that contains only a code directory, at `at`. Its fields are big-endian. */
function writeSignature(file: Buffer, at: number, identifier: string, text: Segment): void {
  const pages = Math.ceil(at / PAGE_BYTES);
  const hashOffset = CODE_DIRECTORY_BYTES + identifier.length + 1;
  const directoryBytes = hashOffset + pages * HASH_BYTES;
  // One entry: the code directory (slot 0) follows.
  const superBlob = [SUPER_BLOB, SUPER_BLOB_BYTES + directoryBytes, 1, 0, SUPER_BLOB_BYTES];
  for (const [index, value] of superBlob.entries()) file.writeUInt32BE(value, at + index * 4);

  const directory = file.subarray(at + SUPER_BLOB_BYTES);
  const header = [
    CODE_DIRECTORY,
    directoryBytes,
    CODE_DIRECTORY_VERSION,
    FLAGS,
    hashOffset,
    CODE_DIRECTORY_BYTES, // where the identifier is
    0, // special slots
    pages,
    at, // the bytes that are signed
  ];
  for (const [index, value] of header.entries()) directory.writeUInt32BE(value, index * 4);
  directory.set([HASH_BYTES, SHA256, 0, PAGE_BITS], 36);
  directory.writeBigUInt64BE(text.fileOffset, 64);
  directory.writeBigUInt64BE(text.fileSize, 72);
  directory.writeBigUInt64BE(MAIN_BINARY, 80);
  directory.write(identifier, CODE_DIRECTORY_BYTES, 'latin1');
  for (let page = 0; page < pages; page++) {
    const bytes = file.subarray(page * PAGE_BYTES, Math.min((page + 1) * PAGE_BYTES, at));
    directory.set(createHash('sha256').update(bytes).digest(), hashOffset + page * HASH_BYTES);
  }
}

function alignTo(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

function roundUp(value: bigint, alignment: bigint): bigint {
  return ((value + alignment - 1n) / alignment) * alignment;
}
