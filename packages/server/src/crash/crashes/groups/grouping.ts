// Decides which group a report belongs to: by reason and stack, by the trace in its text, or by message.
import { hash } from 'node:crypto';
import type { Frame, Report, SignatureReport } from '@chauffeur/minidump/report';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { makeSignature } from '@chauffeur/minidump/signature/signature';
import type { OsName } from '@chauffeur/minidump/streams/system-info';
import { redactUserPaths } from '../report/paths.ts';
import { traceOfReport } from '../text/report-text.ts';
import type { Trace } from '../text/trace.ts';
import { notesOf } from './dump-notes.ts';
import type { GameRules } from './game-rules.sql.ts';
import { listsOf } from './game-rules.ts';
import { classOfReason, findOwnCode, type OwnCode, ownFunctions } from './own-code.ts';
import { groupByTrace } from './trace-grouping.ts';

/**
 * Increase it with any change of the rules that may move a report to another group. `chauffeur-server regroup` then
 * moves existing reports.
 */
export const GROUPING_VERSION = 3;

export type Grouping = {
  /** SHA-256 of what the reports of the group have in common. */
  readonly key: Uint8Array;
  readonly kind: 'stack' | 'message';
  /** The signature: one line of at most 255 characters. */
  readonly title: string;
  readonly reason: string | null;
  /** How the signature was made, for people. */
  readonly explanation: readonly string[];
  /** The first functions of the game's own code on the stack, each once. Similar groups share some of them. */
  readonly functions: readonly string[];
  /** The version of the game's own rules; absent if they do not matter. */
  readonly rulesVersion?: number;
};

/** The fields of a report that its grouping needs in addition to the dump. */
export type GroupingFields = {
  readonly message: string;
  /** A stack may be in its values. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly appVersion: string;
  readonly os: string;
};

type Stack = Pick<Report, 'crash_info' | 'system_info' | 'threads' | 'modules' | 'main_module'> &
  Partial<Pick<Report, 'crashpad' | 'mac_crash_info'>>;

const MAX_REASON_LENGTH = 255;

/**
 * The signature of a walked dump, made from the frames that count, and the group of its report. If the crashed thread
 * has no frames, the report is grouped by its message: what the client sent, or else what the dump says.
 */
export function groupReport(
  report: Stack,
  sent: GroupingFields,
  { rules, version: rulesVersion }: GameRules,
): { grouping: Grouping; signature: SignatureReport } {
  const os = osOf(report);
  const fields = sent.message === '' ? { ...sent, message: notesOf(report).message } : sent;
  const crashed = crashedThread(report);
  const code = findOwnCode(report.modules, report.main_module, os);
  const { frames, note } = chooseFrames(crashed?.frames ?? [], code);
  const { type, address, assertion } = report.crash_info;
  const signature = makeSignature(
    {
      os,
      reason: type,
      address,
      frames: crashed === undefined ? null : frames,
      lastError: crashed?.last_error_value ?? null,
      assertion,
      message: redactUserPaths(fields.message),
      loaded: { modules: report.modules, main: report.main_module },
    },
    { lists: listsOf(rules) },
  );
  if (frames.length === 0) {
    const grouping = groupByText(fields, traceOfReport(fields), { rules, version: rulesVersion });
    if (fields.message !== '' || grouping.kind === 'stack')
      return { grouping: { ...grouping, rulesVersion }, signature };
  }
  const reason = type === null ? null : cutTo(toPrintable(type), MAX_REASON_LENGTH);
  const reasonClass = classOfReason(reason);
  const reasonNote = reason === reasonClass ? `reason: ${reason}` : `reason: ${reasonClass}, the class of ${reason}`;
  const notes = [...(reason === null ? [] : [reasonNote]), ...(note === null ? [] : [note]), ...signature.notes];
  const grouping: Grouping = {
    key: keyOf('stack', reasonClass, signature.signature),
    kind: 'stack',
    title: signature.signature,
    reason,
    explanation: notes,
    functions: ownFunctions(frames, code),
    rulesVersion,
  };
  return { grouping, signature: { signature: signature.signature, notes } };
}

/** The group of a report without a dump: by the trace in one of its texts, or else by its message. */
export function groupByText(fields: GroupingFields, trace: Trace | null, rules: GameRules): Grouping {
  return trace === null ? groupByMessage(fields) : groupByTrace(trace, fields, rules);
}

/**
 * The group of a report without a stack: by its message without numbers, addresses and folders, its version and its OS.
 */
export function groupByMessage({ message, appVersion, os }: Omit<GroupingFields, 'metadata'>): Grouping {
  const isEmpty = toPrintable(message) === '';
  const { signature, notes } = makeSignature({ os: 'unknown', frames: null, message: redactUserPaths(message) });
  const build = `${toPrintable(appVersion) || 'unknown'} on ${toPrintable(os) || 'unknown'}`;
  return {
    key: keyOf('message', isEmpty ? '' : signature, appVersion, os),
    kind: 'message',
    title: isEmpty ? NO_TITLE : signature,
    reason: null,
    explanation: [
      `message: no stack; reports of version ${build} are grouped by their message`,
      ...(isEmpty ? ['message: empty'] : notes),
    ],
    functions: [],
  };
}

/** The group of the reports of a group that have `name` on their stack, if that group was split. */
export function splitOff(grouping: Grouping, name: string): Grouping {
  return {
    ...grouping,
    key: keyOf('split', Buffer.from(grouping.key).toString('hex'), name),
    explanation: [...grouping.explanation, `split: reports with ${name} on their stack`],
  };
}

/** The title of groups and reports with neither a stack nor a message. */
export const NO_TITLE = 'No stack or message';

/** The thread that crashed; undefined if the dump does not say. */
export function crashedThread({ crash_info: crash, threads }: Pick<Report, 'crash_info' | 'threads'>) {
  return crash.crashing_thread === null ? undefined : threads[crash.crashing_thread];
}

/**
 * Chooses the frames for the signature: usually the reliable frames before the first guessed one. A guess is a word of
 * the stack that looks like a return address; it may be left over from an earlier call, and differs between players.
 * Guessed frames are used only if the reliable ones are not enough: if none of them has a name, all frames with a name
 * are used; if all of them are system code, the first guess in the game's own code is added. The latter happens when a 32-bit game on Linux aborts: without symbols of libc, the last reliable frame is in the kernel's code
 * or in libc. Otherwise all crashes that end in a library of the system would be one group.
 */
function chooseFrames(frames: readonly Frame[], code: OwnCode): { frames: readonly Frame[]; note: string | null } {
  const firstGuess = frames.findIndex(({ trust }) => trust === 'scan');
  if (firstGuess < 0) return { frames, note: null };
  const reliable = frames.slice(0, firstGuess);
  const guessCount = frames.length - firstGuess;
  if (reliable.some((frame) => isNamed(frame, code) && !code.isSystem(frame)))
    return {
      frames: reliable,
      note: `frames: used ${reliable.length} reliable, ignored ${guessCount} guessed`,
    };
  const named = frames.filter((frame) => isNamed(frame, code));
  const ownNamedAt = frames.findIndex((frame) => isNamed(frame, code) && isOwn(frame, code));
  const ownAt = ownNamedAt >= 0 ? ownNamedAt : frames.findIndex((frame) => isOwn(frame, code));
  const isReliableNamed = reliable.some((frame) => isNamed(frame, code));
  if (named.length > 0 && !isReliableNamed && (ownAt < 0 || named.some((frame) => isOwn(frame, code))))
    return { frames: named, note: 'frames: no reliable frame has a name; used all frames with a name' };
  if (ownAt >= firstGuess) {
    const note = "frames: no reliable frame is in the game's code; added the first guessed frame that is";
    return { frames: [...reliable, frames[ownAt]!], note };
  }
  return {
    frames: reliable,
    note: `frames: ${isReliableNamed ? "no frame is in the game's code" : 'no frame has a name'}; used ${reliable.length} reliable`,
  };
}

function isNamed(frame: Frame, code: OwnCode): boolean {
  return code.of(frame).some(({ isNamed: hasName }) => hasName);
}

/** System code does not count as the game's own, even if the game ships it in its folder. */
function isOwn(frame: Frame, code: OwnCode): boolean {
  return !code.isSystem(frame) && code.of(frame).some(({ own }) => own);
}

function keyOf(...parts: readonly string[]): Uint8Array {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

/** The names of operating systems in reports, which decide how functions are named. */
const OSES: Readonly<Record<string, OsName>> = {
  'Windows NT': 'windows',
  'Mac OS X': 'macos',
  iOS: 'ios',
  Linux: 'linux',
  Android: 'android',
  Solaris: 'solaris',
  PS3: 'ps3',
  NaCl: 'nacl',
  Fuchsia: 'fuchsia',
};

export function osOf({ system_info: { os } }: Pick<Report, 'system_info'>): OsName {
  return Object.hasOwn(OSES, os) ? OSES[os]! : 'unknown';
}
