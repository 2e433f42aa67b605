// Decides whether what a client says of a crash is a report: an ordered list of named rules, the first that objects refuses it.
import type { ErrorCode } from '@chauffeur/contract/errors';
import { canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import type { InputOf } from '@chauffeur/contract/operation';
import { CrashInput, type createCrash } from '@chauffeur/contract/operations/crashes';
import { findProblem } from '@chauffeur/contract/validate';
import { findMissingId, NO_GAME_OR_BUILD } from '../../../kernel/client-ids.ts';
import { isUuid } from '../../../kernel/ids.ts';

export type CrashFacts = InputOf<typeof createCrash>;

/** A report as it came, not looked at yet. */
export type Claim = {
  /** As in X-App-Id and X-Build-Id; empty where the client said nothing. */
  readonly appId: string;
  readonly buildId: string;
  readonly body: unknown;
};

/** Where it came from, and what the client says. */
export type AcceptedClaim = { readonly gameId: string; readonly buildId: string; readonly facts: CrashFacts };

export type Refusal = { readonly rule: string; readonly code: ErrorCode; readonly message: string };

type Rule = {
  /** As counted in the metrics. */
  readonly name: string;
  readonly code: ErrorCode;
  /** The sentence for the client; null where the rule does not object. */
  readonly find: (claim: Claim) => string | null;
};

/** In this order: who it is from comes before what is in it. */
export const ACCEPTANCE_RULES: readonly Rule[] = [
  {
    name: 'no_ids',
    code: 4010,
    find: findMissingId,
  },
  // They look nothing like ids of ours, so the database need not be asked.
  {
    name: 'unknown_build',
    code: 4030,
    find: ({ appId, buildId }) => (isUuid(appId) && isUuid(buildId) ? null : NO_GAME_OR_BUILD),
  },
  {
    name: 'no_object',
    code: 4001,
    find: ({ body }) => (isObject(body) ? null : 'body: not a JSON object; send the fields of the report in one.'),
  },
  {
    name: 'many_keys',
    code: 4130,
    find: ({ body }) =>
      Object.keys(metadataOf(body)).length <= LIMITS.metadataKeys
        ? null
        : `metadata: more than ${LIMITS.metadataKeys} keys; send fewer.`,
  },
  { name: 'long_metadata', code: 4001, find: ({ body }) => findLongMetadata(metadataOf(body)) },
  { name: 'bad_field', code: 4001, find: ({ body }) => findProblem(CrashInput, body) },
];

/** Refusals that only the database can tell; counted as the others are. */
export const UNKNOWN_BUILD: Refusal = { rule: 'unknown_build', code: 4030, message: NO_GAME_OR_BUILD };

/** What the claim is accepted as, or why it is refused. */
export function accept(claim: Claim): { accepted: AcceptedClaim } | { refused: Refusal } {
  for (const { name, code, find } of ACCEPTANCE_RULES) {
    const message = find(claim);
    if (message !== null) return { refused: { rule: name, code, message } };
  }
  const { appId, buildId, body } = claim;
  return {
    accepted: { gameId: appId.toLowerCase(), buildId: buildId.toLowerCase(), facts: body as CrashFacts },
  };
}

/** Code points, as in every limit of a length. */
function findLongMetadata(metadata: object): string | null {
  for (const key of Object.keys(metadata)) {
    const value: unknown = metadata[key as keyof typeof metadata];
    if (isLonger(key, LIMITS.metadataKeyLength))
      return `metadata: a key is longer than ${LIMITS.metadataKeyLength} characters; shorten it.`;
    if (typeof value === 'string' && isLonger(value, LIMITS.metadataValueLength))
      return `metadata: the value of a key is longer than ${LIMITS.metadataValueLength} characters; shorten it.`;
  }
  return null;
}

function isLonger(text: string, most: number): boolean {
  // A code point takes at most two units, so the short and the very long need no counting.
  return text.length > most && (text.length > 2 * most || [...text].length > most);
}

function metadataOf(body: unknown): object {
  const metadata = isObject(body) ? (body as { metadata?: unknown }).metadata : undefined;
  return isObject(metadata) ? metadata : {};
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The service’s word for a system where it knows the client’s: `Windows`, `win32` and `WINDOWS` are one. Else as it is, lowercase. */
export function systemNamed(os: string): string {
  const word = os.trim().toLowerCase();
  const [first = ''] = word.split(/[\s/]/);
  return canonicalOs(FURTHER_SYSTEMS[first] ?? first);
}

/** As reporters write them, beside the aliases that registration knows. */
const FURTHER_SYSTEMS: Readonly<Record<string, string>> = {
  iphone: 'ios',
  ipados: 'ios',
  winnt: 'windows',
  html5: 'web',
  emscripten: 'web',
};

export function processorNamed(arch: string): string {
  return canonicalArch(arch.trim().toLowerCase());
}
