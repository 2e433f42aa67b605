// cspell:ignore SURIVITNA DRADNATS RACIE
// Tests the virus scanner: whether it responds, finds a test virus, reports what it skips, and accepts the stream
// limit.

import { crc32 } from 'node:zlib';
import { formatBytes } from '@chauffeur/contract/format';
import { MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { type ClamdScanner, createClamdScanner } from '../../kernel/scanner/clamd.ts';
import { ScannerUnavailableError, type ScanVerdict } from '../../kernel/scanner/scanner.ts';
import { type Check, fail, pass, warn } from './checks.ts';

/** Loading new signatures delays a reply by many seconds. */
const TIMEOUTS = { connectMs: 5000, idleMs: 30_000 };
/** An operator waits for the result, so a larger stream is not tried. */
const MAX_TRIED_BYTES = 256 * MIB;

const CLAMD_SETTINGS = 'In clamd.conf, set AlertExceedsMax yes and AlertEncrypted yes, and restart clamd.';

export async function testScanner({ config, log }: Context): Promise<Check[]> {
  const { clamd, clamdStreamLimit: streamLimit } = config;
  if (clamd === undefined)
    return [warn('There is no virus scanner. Files are offered without a scan.', 'Set CHAUFFEUR_CLAMD.')];
  const checks: Check[] = [];
  try {
    const scanner = createClamdScanner({ address: clamd, streamLimit, timeouts: TIMEOUTS });
    for (const check of CHECKS) checks.push(await check(scanner));
  } catch (err) {
    if (!(err instanceof ScannerUnavailableError)) throw err;
    log.warn({ err }, 'the test of the scanner failed');
    checks.push(
      fail(
        `clamd does not respond: ${err.message}`,
        'Start clamd, check the address in CHAUFFEUR_CLAMD, and let the server use the socket.',
      ),
    );
  }
  return checks;
}

const CHECKS: readonly ((scanner: ClamdScanner) => Promise<Check>)[] = [
  async (scanner) => {
    await scanner.ping();
    const { engine, signatures } = await scanner.version();
    return signatures === null
      ? warn(`${engine} responds, but does not report the version of its signatures.`, 'Make sure that freshclam runs.')
      : pass(`${engine} responds, with signatures ${signatures}.`);
  },
  async (scanner) => {
    const verdict = await scanBytes(scanner, eicarFile());
    return verdict.result === 'infected'
      ? pass(`The EICAR test virus was found, as ${verdict.signature}.`)
      : fail('The EICAR test virus was not found.', 'Download the signatures with freshclam, and restart clamd.');
  },
  async (scanner) => {
    const verdict = await scanBytes(scanner, Buffer.from('A harmless file.\n'));
    return verdict.result === 'clean'
      ? pass('A harmless file passed.')
      : fail(`A harmless file was reported as ${describe(verdict)}.`, 'Check the signatures of clamd.');
  },
  async (scanner) => {
    const verdict = await scanBytes(scanner, nestedZip());
    return verdict.result === 'not-scanned'
      ? pass('Files beyond the limits of clamd are reported, not passed as clean (AlertExceedsMax).')
      : fail('Files beyond the limits of clamd pass as clean (AlertExceedsMax).', CLAMD_SETTINGS);
  },
  async (scanner) => {
    const verdict = await scanBytes(scanner, encryptedZip());
    return verdict.result === 'not-scanned'
      ? pass('Encrypted zips are reported, not passed as clean (AlertEncrypted).')
      : fail('Encrypted zips pass as clean (AlertEncrypted).', CLAMD_SETTINGS);
  },
  async (scanner) => {
    const size = formatBytes(scanner.streamLimit);
    if (scanner.streamLimit > MAX_TRIED_BYTES)
      return warn(
        `The stream limit of ${size} is too large to try here.`,
        'Make sure that StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf are at least as large.',
      );
    const verdict = await scanner.scan(zeros(scanner.streamLimit));
    return verdict.result === 'clean'
      ? pass(`A file as large as the stream limit, ${size}, was scanned.`)
      : fail(
          `clamd did not scan a file as large as the stream limit, ${size}: ${describe(verdict)}.`,
          'Set CHAUFFEUR_CLAMD_STREAM_LIMIT to the smallest of StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf.',
        );
  },
];

function scanBytes(scanner: ClamdScanner, bytes: Buffer): Promise<ScanVerdict> {
  return scanner.scan(
    (async function* () {
      yield bytes;
    })(),
  );
}

function describe(verdict: ScanVerdict): string {
  if (verdict.result === 'clean') return 'clean';
  return verdict.result === 'infected' ? verdict.signature : verdict.reason;
}

/**
 * The EICAR test file, which every virus scanner reports although it is harmless (eicar.org). It is reversed in the
 * source, and all probes are built in memory, so that no scanner reports a file of ours.
 */
function eicarFile(): Buffer {
  return Buffer.from([...'*H+H$!ELIF-TSET-SURIVITNA-DRADNATS-RACIE$}7)CC7)^P(45XZP\\4[PA@%P!O5X'].reverse().join(''));
}

/** The levels of the zip. clamd unpacks at most 100, the maximum of MaxRecursion. */
const LEVELS = 110;

/** A zip in a zip, and so on. clamd gives up at MaxRecursion, and reports that only with AlertExceedsMax. */
function nestedZip(): Buffer {
  let inner = Buffer.from('the innermost file');
  for (let level = 0; level < LEVELS; level += 1) inner = zipOf('inner.zip', inner);
  return inner;
}

/** A zip whose entry is marked as encrypted. clamd reports that only with AlertEncrypted. */
function encryptedZip(): Buffer {
  return zipOf('secret.bin', Buffer.alloc(64, 0x5a), ENCRYPTED);
}

const CHUNK = Buffer.alloc(256 * 1024);

/** Yields this number of zero bytes. */
async function* zeros(length: number): AsyncGenerator<Uint8Array> {
  for (let rest = length; rest > 0; rest -= CHUNK.length) yield CHUNK.subarray(0, rest);
}

const ENCRYPTED = 1;
const ZIP_VERSION = 20;

/** A zip with one stored entry (APPNOTE.TXT, sections 4.3.7, 4.3.12 and 4.3.16). */
function zipOf(name: string, content: Buffer, flags = 0): Buffer<ArrayBuffer> {
  // The local header and the directory share the fields from the version to the length of the extra field.
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
