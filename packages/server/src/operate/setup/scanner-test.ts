// Tests the virus scanner: whether it responds, finds a test virus, reports what it skips, and accepts the stream limit.
import { formatBytes } from '@chauffeur/contract/format';
import { MIB } from '@chauffeur/contract/limits';
import type { Context } from '../../context.ts';
import { type ClamdScanner, createClamdScanner } from '../../kernel/scanner/clamd.ts';
import { ScannerUnavailableError, type Verdict } from '../../kernel/scanner/scanner.ts';
import { type Check, fail, pass, warn } from './checks.ts';
import { eicarFile, encryptedZip, nestedZip, zeros } from './scanner-probes.ts';

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

function scanBytes(scanner: ClamdScanner, bytes: Buffer): Promise<Verdict> {
  return scanner.scan(
    (async function* () {
      yield bytes;
    })(),
  );
}

function describe(verdict: Verdict): string {
  if (verdict.result === 'clean') return 'clean';
  return verdict.result === 'infected' ? verdict.signature : verdict.reason;
}
