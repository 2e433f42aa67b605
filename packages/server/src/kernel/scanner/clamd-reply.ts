// Parses the replies of clamd (clamd(8), COMMANDS).
import { ScannerUnavailableError, type ScannerVersion, type Verdict } from './scanner.ts';

/**
 * Findings that mean "not scanned". clamd reports them like viruses if AlertExceedsMax or AlertEncrypted is on.
 * Examples: `Heuristics.Limits.Exceeded.MaxFileSize`, `Heuristics.Encrypted.Zip`.
 */
const NOT_LOOKED_AT = /^Heuristics\.(Limits\.Exceeded|Encrypted)\b/;

/**
 * The verdict in a reply to INSTREAM: `stream: OK`, `stream: <signature> FOUND`, `INSTREAM size limit exceeded. ERROR`.
 * Throws ScannerUnavailableError for any other reply, such as a full disk or too little memory, which say nothing about
 * the file.
 */
export function readVerdict(reply: string): Verdict {
  if (reply === 'stream: OK') return { result: 'clean' };
  const signature = /^stream: (.+) FOUND$/.exec(reply)?.[1];
  if (signature !== undefined) {
    return NOT_LOOKED_AT.test(signature)
      ? { result: 'not-scanned', reason: signature }
      : { result: 'infected', signature };
  }
  if (reply.startsWith('INSTREAM size limit exceeded')) {
    return { result: 'not-scanned', reason: 'longer than clamd’s StreamMaxLength' };
  }
  throw new ScannerUnavailableError(`clamd could not scan: ${reply.slice(0, 200)}`);
}

/**
 * The parts of a reply to VERSION: `ClamAV 1.4.3/27800/Thu Nov 20 09:31:43 2026`, or only `ClamAV 1.4.3` if the
 * signatures have no version, such as those of a hand-written database.
 */
export function readVersion(reply: string): ScannerVersion {
  const [engine, number, date] = reply.split('/');
  if (engine === undefined || !engine.startsWith('ClamAV')) {
    throw new ScannerUnavailableError(`clamd sent an unknown version: ${reply.slice(0, 200)}`);
  }
  if (!number) return { engine, signatures: null };
  const day = readDay(date ?? '');
  return { engine, signatures: day === null ? number : `${number} (${day})` };
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Returns the day of a date in the format of asctime(3), such as `2026-11-20`; null for anything else. */
function readDay(date: string): string | null {
  const [, month = '', day = '', year = ''] = /^\w{3} (\w{3}) +(\d{1,2}) [\d:]+ (\d{4})$/.exec(date) ?? [];
  if (!MONTHS.includes(month)) return null;
  return [year, String(MONTHS.indexOf(month) + 1).padStart(2, '0'), day.padStart(2, '0')].join('-');
}
