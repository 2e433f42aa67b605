// What commands print: results on stdout, everything else on stderr; with --json, exactly one object on stdout.
import { ForeignAnswerError, NetworkError } from '@chauffeur/contract/client';
import { ApiError, ERRORS } from '@chauffeur/contract/errors';
import type { Explanation } from '@chauffeur/contract/foreign-answer';
import { formatNumber } from '@chauffeur/contract/format';
import { UpdaterError, type UpdaterErrorCode } from '@chauffeur/updater/error';
import { hasColour } from './colours.ts';
import { explainFailure } from './connection-failure.ts';
import { GaveUpError, InterruptedError, LocalError, ScanError } from './failures.ts';

/** The result of a command, of which one form is printed. The exit code is 0 if it is missing. */
export type Result = {
  /** Printed as one object with --json. */
  data: Readonly<Record<string, unknown>>;
  /** Sentences and tables for people. */
  lines: readonly string[];
  /** What scripts read instead of `lines`, if stdout is not a terminal. Add to it, but change nothing that is there. */
  piped?: readonly string[];
  exitCode?: number;
};

/** A failure as it is printed. `code` is an error code of the service or one of the words in docs/cli.md. */
export type Problem = {
  code: number | 'usage' | 'network' | 'scan' | 'interrupted' | 'internal' | UpdaterErrorCode;
  message: string;
  remedy: string | null;
  request_id: string | null;
  exitCode: number;
  data: Readonly<Record<string, unknown>>;
};

const EXIT = { usage: 1, api: 2, network: 3 } as const;
/** A problem of this computer, an answer of the server that isn't used, and a server that can't be reached. */
const UPDATER_EXIT: Readonly<Record<UpdaterErrorCode, number>> = {
  folder: EXIT.usage,
  locked: EXIT.usage,
  space: EXIT.usage,
  'not-offered': EXIT.api,
  untrusted: EXIT.api,
  network: EXIT.network,
};
const SCAN_EXIT = { rejected: EXIT.api, pending: EXIT.network } as const;
const SCAN_REMEDY = {
  rejected: "Remove the files that the scan found and upload again. Rejected uploads are listed on the game's page.",
  pending: 'There is no need to upload the file again. Run chauffeur builds list to see when the scan has finished.',
} as const;

/** Maps a failure to its message and exit code: 1 for usage errors, 2 if the service rejected the request, 3 if it could not be reached. */
export function problemOf(error: unknown): Problem {
  const message = error instanceof Error ? error.message : String(error);
  const problem = { message, remedy: null, request_id: null, data: {} };
  if (error instanceof LocalError) {
    return { ...problem, code: 'usage', remedy: error.remedy ?? null, exitCode: EXIT.usage };
  }
  if (error instanceof UpdaterError) {
    const explained = explainForPlayers(error);
    return { ...problem, ...explained, code: error.code, exitCode: UPDATER_EXIT[error.code] };
  }
  if (error instanceof ApiError) {
    const { code, requestId } = error;
    return { ...problem, code, remedy: ERRORS[code].remedy, request_id: requestId ?? null, exitCode: EXIT.api };
  }
  if (error instanceof ForeignAnswerError)
    return { ...problem, code: 'network', remedy: error.remedy, exitCode: EXIT.network };
  if (error instanceof NetworkError) {
    const failure = explainFailure(error, error.host || 'the server');
    const remedy = failure?.remedy ?? 'Check the network connection and the URLs (--url, --upload).';
    return { ...problem, message: failure?.message ?? message, code: 'network', remedy, exitCode: EXIT.network };
  }
  if (error instanceof GaveUpError) {
    const last = problemOf(error.cause);
    return { ...last, message: `Gave up after ${error.tries} attempts: ${last.message}`, exitCode: EXIT.network };
  }
  if (error instanceof ScanError) {
    const { data, outcome } = error;
    return { ...problem, code: 'scan', remedy: SCAN_REMEDY[outcome], data, exitCode: SCAN_EXIT[outcome] };
  }
  if (error instanceof InterruptedError) return { ...problem, code: 'interrupted', exitCode: error.exitCode };
  return { ...problem, code: 'internal', exitCode: EXIT.usage };
}

/** Players name the address of a game, and know no URLs of a server. */
function explainForPlayers({ message, remedy, cause }: UpdaterError): Explanation {
  if (!(cause instanceof NetworkError) || cause instanceof ForeignAnswerError) return { message, remedy };
  return explainFailure(cause, cause.host || 'the server', 'the address of the game') ?? { message, remedy };
}

/** The part of a stream that Output needs. */
export type Sink = { write(text: string): unknown; isTTY?: boolean };
type Environment = Readonly<Record<string, string | undefined>>;

/** Bold, because plain red is hard to read on a dark background. */
const COLOURS = { red: '\x1b[1;31m', yellow: '\x1b[1;33m' } as const;

export class Output {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly #stdout: Sink;
  readonly stderr: Sink;
  readonly #hasColour: boolean;

  constructor(options: { json?: boolean; quiet?: boolean }, stdout: Sink, stderr: Sink, env: Environment) {
    this.json = options.json ?? false;
    this.quiet = options.quiet ?? false;
    this.#stdout = stdout;
    this.stderr = stderr;
    this.#hasColour = hasColour(stderr, env);
  }

  result({ data, lines, piped = lines }: Result): void {
    const shown = this.#stdout.isTTY === true ? lines : piped;
    this.#stdout.write(this.json ? `${JSON.stringify(data)}\n` : shown.map((line) => `${line}\n`).join(''));
  }

  /** Prints a message that is neither a result nor a failure. */
  note(line: string): void {
    const clearBar = this.stderr.isTTY === true ? '\r\x1b[K' : '';
    const [word = ''] = /^warning:/.exec(line) ?? [];
    if (!this.quiet) this.stderr.write(`${clearBar}${this.#paint(word, 'yellow')}${line.slice(word.length)}\n`);
  }

  problem({ code, message, remedy, request_id, data }: Problem): void {
    if (this.json) {
      this.#stdout.write(`${JSON.stringify({ ...data, error: { code, message, remedy, request_id } })}\n`);
      return;
    }
    const lines = [
      `${this.#paint('error:', 'red')} ${message}${typeof code === 'number' ? ` (code ${code})` : ''}`,
      ...(remedy === null ? [] : [`  ${remedy}`]),
      ...(request_id === null ? [] : [`  request id: ${request_id}`]),
    ];
    this.stderr.write(`${lines.join('\n')}\n`);
  }

  #paint(text: string, colour: keyof typeof COLOURS): string {
    return this.#hasColour && text !== '' ? `${COLOURS[colour]}${text}\x1b[0m` : text;
  }
}

/** Formats values that scripts read, a line each: `build_id=…`. */
export function formatPairs(values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).map(([name, value]) => `${name}=${value}`);
}

/** Formats rows as aligned columns; the first row has the headings. */
export function tableOf(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** A count with its noun: `1 file`, `1,240 files`. */
export function formatCount(count: number, one: string, other = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : other}`;
}
