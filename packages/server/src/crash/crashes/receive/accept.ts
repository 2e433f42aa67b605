// Decides whether a request is a valid crash report: an ordered list of named rules. The first rule that objects
// refuses the report.
import { CODES, type ErrorCode } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { CrashInput } from '@chauffeur/contract/operations/crashes';
import { ownValue } from '@chauffeur/contract/own-value';
import { findProblem } from '@chauffeur/contract/validate';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { findMissingId, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { isObject } from '../../../request/json.ts';
import { cleanReport } from './clean-report.ts';
import type { CrashDetails } from './forms/details.ts';

/** A report that has not been checked. */
export type UncheckedReport = {
  /** The header X-App-Id, as `buildId` is X-Build-Id; empty if missing. */
  readonly appId: string;
  readonly buildId: string;
  readonly body: unknown;
};

export type AcceptedReport = { readonly gameId: string; readonly buildId: string; readonly details: CrashDetails };

export type Refusal = { readonly rule: string; readonly code: ErrorCode; readonly message: string };

type Rule = {
  /** The label in the metrics. */
  readonly name: string;
  readonly code: ErrorCode;
  /** The message for the client; null if the rule does not object. */
  readonly find: (report: UncheckedReport & { readonly clean: unknown }) => string | null;
};

/** Checked in this order: the ids before the content. */
export const ACCEPTANCE_RULES: readonly Rule[] = [
  {
    name: 'no_ids',
    code: CODES.missingIds,
    find: findMissingId,
  },
  // Texts that are not ids need no query.
  {
    name: UNKNOWN_BUILD.rule,
    code: UNKNOWN_BUILD.code,
    find: ({ appId, buildId }) => (isUuid(appId) && isUuid(buildId) ? null : UNKNOWN_BUILD.message),
  },
  {
    name: 'no_object',
    code: CODES.unreadableBody,
    find: ({ body }) => (isObject(body) ? null : 'body: not a JSON object. Send the fields of the report in one.'),
  },
  {
    name: 'many_keys',
    code: CODES.tooMany,
    find: ({ body }) => (hasManyKeys(body) ? `metadata: more than ${LIMITS.metadataKeys} keys. Send fewer.` : null),
  },
  // What is only too long or cannot be stored was changed before.
  { name: 'bad_field', code: CODES.unreadableBody, find: ({ clean }) => findProblem(CrashInput, clean) },
];

/** Checks a report by all rules. */
export function accept(report: UncheckedReport): { accepted: AcceptedReport } | { refused: Refusal } {
  const { appId, buildId, body } = report;
  const clean = isObject(body) && !hasManyKeys(body) ? cleanReport(body) : {};
  for (const { name, code, find } of ACCEPTANCE_RULES) {
    const message = find({ ...report, clean });
    if (message !== null) return { refused: { rule: name, code, message } };
  }
  return {
    accepted: { gameId: appId.toLowerCase(), buildId: buildId.toLowerCase(), details: clean as CrashDetails },
  };
}

function hasManyKeys(body: unknown): boolean {
  return isObject(body) && isObject(body.metadata) && Object.keys(body.metadata).length > LIMITS.metadataKeys;
}

/**
 * The canonical name of an OS, such as `windows` for `Windows`, `win32` and `WINDOWS`; in lowercase if there is none.
 */
export function canonicalSystem(os: string): string {
  const [name = ''] = os.trim().toLowerCase().split(/[\s/]/);
  return canonicalOs(ownValue(OS_ALIASES, name) ?? name);
}

/** Names that crash reporters use, in addition to the aliases that registration accepts. */
const OS_ALIASES: Readonly<Record<string, string>> = {
  iphone: 'ios',
  ipados: 'ios',
  winnt: 'windows',
  html5: 'web',
  emscripten: 'web',
};

export function canonicalProcessor(arch: string): string {
  return canonicalArch(arch.trim().toLowerCase());
}
