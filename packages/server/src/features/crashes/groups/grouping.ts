// Decides which group a report belongs to: by reason and stack, or, where there is no stack, by what the program said.
import { hash } from 'node:crypto';
import type { Frame, Report } from '@chauffeur/minidump/report';
import { defaultLists } from '@chauffeur/minidump/signature/lists/signature-lists';
import { cutTo, toPrintable } from '@chauffeur/minidump/signature/printable';
import { makeSignature } from '@chauffeur/minidump/signature/signature';
import type { OsName } from '@chauffeur/minidump/streams/system-info';
import { redactUserPaths } from '../read/user-paths.ts';
import { findOwnCode, type OwnCode, ownFunctions } from './own-code.ts';

/** Grows whenever the same report may come into another group than before; `chauffeur-server regroup` then moves what is there. */
export const GROUPING_VERSION = 2;

export type Grouping = {
  /** SHA-256 of what the group’s reports have in common. */
  readonly key: Uint8Array;
  readonly kind: 'stack' | 'message';
  /** The signature: at most 255 characters, one line. */
  readonly title: string;
  readonly reason: string | null;
  /** How it came about, for people. */
  readonly explanation: readonly string[];
  /** The first functions of the game’s own code on the stack, each once: groups that share some resemble each other. */
  readonly functions: readonly string[];
};

/** What a report says of itself beside its dump. */
export type Statement = {
  readonly message: string;
  readonly appVersion: string;
  readonly os: string;
};

type Stack = Pick<Report, 'crash_info' | 'system_info' | 'threads' | 'modules' | 'main_module'>;

const LONGEST_REASON = 255;

/** The group of a report whose dump was walked; by its statement when the dump has no stack of the crash. */
export function groupReport(report: Stack, statement: Statement): Grouping {
  const crashed = crashedThread(report);
  if ((crashed?.frames.length ?? 0) === 0 && statement.message !== '') return groupByMessage(statement);
  const code = findOwnCode(report.modules, report.main_module, osOf(report));
  const { frames, note } = chooseFrames(crashed?.frames ?? [], code);
  const { type, address, assertion } = report.crash_info;
  const { signature, notes } = makeSignature({
    os: osOf(report),
    reason: type,
    address,
    frames: crashed === undefined ? null : frames,
    lastError: crashed?.last_error_value ?? null,
    assertion,
  });
  const reason = type === null ? null : cutTo(toPrintable(type), LONGEST_REASON);
  const reasonClass = classOfReason(reason);
  const reasonNote = reason === reasonClass ? `reason: ${reason}` : `reason: ${reasonClass}, the class of ${reason}`;
  return {
    key: keyOf('stack', reasonClass, signature),
    kind: 'stack',
    title: signature,
    reason,
    explanation: [...(reason === null ? [] : [reasonNote]), ...(note === null ? [] : [note]), ...notes],
    functions: ownFunctions(frames, code),
  };
}

/** The group of a report without a stack: its message without numbers, addresses and folders, its version and its system. */
export function groupByMessage({ message, appVersion, os }: Statement): Grouping {
  const isSilent = toPrintable(message) === '';
  const { signature, notes } = makeSignature({ os: 'unknown', frames: null, message: redactUserPaths(message) });
  return {
    key: keyOf('message', isSilent ? '' : signature, appVersion, os),
    kind: 'message',
    title: isSilent ? SILENT : signature,
    reason: null,
    explanation: [
      `message: there is no stack, so reports of version ${toPrintable(appVersion) || 'unknown'} on ${toPrintable(os) || 'unknown'} go by what the program said`,
      ...(isSilent ? ['message: it said nothing'] : notes),
    ],
    functions: [],
  };
}

const SILENT = 'Neither a stack nor a message';

/** The thread that the crash is about; undefined where the dump does not tell. */
export function crashedThread({ crash_info: crash, threads }: Pick<Report, 'crash_info' | 'threads'>) {
  return crash.crashing_thread === null ? undefined : threads[crash.crashing_thread];
}

/**
 * The frames that count: those before the first guess, because a word of the stack that looks like a return address may be left over from a call
 * that has returned, and differs from player to player. Guesses count where the others say nothing: all that have a name when the
 * others have none, and else those up to the first in the game's own code, when the others are of the system. An abort of a
 * 32-bit game on Linux is like that: without symbols of libc its last sure frame is in the kernel's code or in libc.
 */
function chooseFrames(frames: readonly Frame[], code: OwnCode): { frames: readonly Frame[]; note: string | null } {
  const guess = frames.findIndex(({ trust }) => trust === 'scan');
  if (guess < 0) return { frames, note: null };
  const sure = frames.slice(0, guess);
  const guessCount = frames.length - guess;
  if (sure.some((frame) => isNamed(frame, code)))
    return {
      frames: sure,
      note: `frames: the ${sure.length} reliable frames count, the ${guessCount} guessed ones do not`,
    };
  const named = frames.filter((frame) => isNamed(frame, code));
  const ownAt = frames.findIndex((frame) => isOwn(frame, code));
  if (named.length > 0 && (ownAt < 0 || named.some((frame) => isOwn(frame, code))))
    return { frames: named, note: 'frames: no reliable frame has a name, so all frames with a name count' };
  if (ownAt >= guess) {
    const note = "frames: no reliable frame is in the game's code, so the guessed ones count up to the first that is";
    return { frames: frames.slice(0, ownAt + 1), note };
  }
  return { frames: sure, note: `frames: none has a name; the ${sure.length} reliable frames count` };
}

function isNamed(frame: Frame, code: OwnCode): boolean {
  return code.of(frame).some(({ isNamed: hasName }) => hasName);
}

/** A game may bring a runtime along in a folder of its own, which makes it no code of the game's. */
function isOwn(frame: Frame, code: OwnCode): boolean {
  const name = frame.module ?? '';
  const isSystem = [name, name.toLowerCase()].some((label) => defaultLists.systemModules.find(label) !== undefined);
  return !isSystem && code.of(frame).some(({ own }) => own);
}

/**
 * The reason without its details, which differ between players for one fault: freed memory is unmapped for one (`SIGSEGV /
 * SEGV_MAPERR`) and protected for the next, read here and written there (`EXCEPTION_ACCESS_VIOLATION_WRITE`). '' when there is none.
 */
function classOfReason(reason: string | null): string {
  return (reason ?? '').replace(/ \/.*$/, '').replace(/_(?:READ|WRITE|EXEC)$/, '');
}

function keyOf(...parts: readonly string[]): Uint8Array {
  return hash('sha256', JSON.stringify(parts), 'buffer');
}

/** Titles of systems in reports, whose rules of naming differ. */
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

/** By the title that the report has for it. */
export function osOf({ system_info: { os } }: Pick<Report, 'system_info'>): OsName {
  return Object.hasOwn(OSES, os) ? OSES[os]! : 'unknown';
}
