// Decides whether a request is a valid crash report: an ordered list of named rules, of which the first that objects
// refuses the report. Before that, a report is cleaned: what is too long is cut, nested values become JSON, and
// characters that cannot be stored are removed, because the game that crashed can't correct a report and send it again.
import { CODES, type ErrorCode } from '@chauffeur/contract/errors';
import { LIMITS } from '@chauffeur/contract/limits';
import { CrashInput } from '@chauffeur/contract/operations/crash-reports';
import { findProblem, isLonger } from '@chauffeur/contract/validate';
import { isUuid } from '../../../kernel/secrets/ids.ts';
import { findMissingId, UNKNOWN_BUILD } from '../../../request/client-ids.ts';
import { isObject } from '../../../request/json.ts';
import { type CrashDetails, FLAG_NAMES, ID_NAMES, TEXT_FIELDS } from '../report/fields.ts';
import { attachmentName } from '../report/files.ts';
import { addOmissions, clip, isReporterId, metadataOf } from './details.ts';

/** A report that has not been checked. */
export type UncheckedReport = {
  /** The header X-App-Id, as `buildId` is X-Build-Id; empty if missing. */
  readonly appId: string;
  readonly buildId: string;
  readonly body: unknown;
};

export type AcceptedReport = { readonly gameId: string; readonly buildId: string; readonly details: CrashDetails };

export type ReportRefusal = { readonly rule: string; readonly code: ErrorCode; readonly message: string };

type Rule = {
  /** The label in the metrics. */
  readonly name: string;
  readonly code: ErrorCode;
  /** The message for the client; null if the rule does not object. */
  readonly find: (report: UncheckedReport & { readonly clean: unknown }) => string | null;
};

/** The rules are checked in this order: the ids before the content. */
export const ACCEPTANCE_RULES: readonly Rule[] = [
  {
    name: 'no_ids',
    code: CODES.missingIds,
    find: findMissingId,
  },
  // A text that is not an id needs no query.
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
  // Texts that are too long or cannot be stored have been changed before.
  { name: 'bad_field', code: CODES.unreadableBody, find: ({ clean }) => findProblem(CrashInput, clean) },
];

/** Checks a report by all rules. */
export function acceptReport(report: UncheckedReport): { accepted: AcceptedReport } | { refused: ReportRefusal } {
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

type Fields = Readonly<Record<string, unknown>>;

const FLAGS = ['has_dump', 'has_log', ...FLAG_NAMES];
/** The number of announced attachments that are read. Far fewer may be uploaded. */
const MAX_ANNOUNCED = 100;

/**
 * Returns the fields of a report as they can be stored. Sentences in the metadata say what was changed. A field with a
 * wrong type is returned as it is, and null is the same as a missing field. A clean report is returned unchanged.
 */
export function cleanReport(body: Fields): Fields {
  const notes: string[] = [];
  const clean: Record<string, unknown> = {};
  for (const name of FLAGS) if (body[name] != null) clean[name] = body[name];
  for (const { name, maxLength } of TEXT_FIELDS) {
    const value = body[name];
    if (value != null)
      clean[name] = typeof value === 'string' || isNumber(value) ? cut(name, String(value), maxLength, notes) : value;
  }
  const further: [string, unknown][] = [];
  for (const name of ID_NAMES) {
    const value = body[name];
    if (value == null) continue;
    const id = isNumber(value) ? String(value) : value;
    if (isReporterId(id)) clean[name] = id;
    else if (typeof id === 'string' || isObject(id)) {
      further.push([name, id]);
      notes.push(`${name} is not a valid id and was kept as metadata.`);
    } else clean[name] = id;
  }
  if (body.attachments != null) clean.attachments = cleanAttachments(body.attachments, notes);
  if (body.debug_ids != null) clean.debug_ids = cleanDebugIds(body.debug_ids);
  const { metadata } = body;
  if (isObject(metadata)) further.push(...Object.entries(metadata));
  if (metadata != null && !isObject(metadata)) clean.metadata = metadata;
  else if (isObject(metadata) || notes.length > 0) {
    noteChanges(further, notes);
    clean.metadata = addOmissions(metadataOf(further, LIMITS.metadataKeys + ID_NAMES.length), notes);
  }
  return clean;
}

/** The ids that are texts. */
function cleanDebugIds(ids: unknown): unknown {
  if (!isObject(ids)) return ids;
  const texts = Object.entries(ids).filter(([, id]) => typeof id === 'string');
  return Object.fromEntries(texts.slice(0, LIMITS.debugIds));
}

/** A number in JSON can be larger than any number of JavaScript, and is then infinite. */
function wholeBytes(size: number): number {
  return Math.min(Math.max(0, Math.round(size)), Number.MAX_SAFE_INTEGER);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function cut(name: string, text: string, max: number, notes: string[]): string {
  const clipped = clip(text, max);
  if (isLonger(text, max)) notes.push(`${name} was cut to ${max} characters.`);
  else if (clipped !== text) notes.push(`${name} had characters that can't be stored.`);
  return clipped;
}

/** Says how metadata differs from what was sent. */
function noteChanges(metadata: readonly (readonly [string, unknown])[], notes: string[]): void {
  const texts = metadata.map(([, value]) => value).filter((value) => typeof value === 'string');
  const keys = metadata.map(([key]) => key);
  const max = LIMITS.metadataValueLength;
  if (keys.some((key) => isLonger(key, LIMITS.metadataKeyLength)))
    notes.push(`Keys were cut to ${LIMITS.metadataKeyLength} characters.`);
  if (texts.some((text) => isLonger(text, max))) notes.push(`Values were cut to ${max} characters.`);
  if (metadata.some(([, value]) => typeof value === 'object' && value !== null))
    notes.push(`Nested values were kept as JSON of up to ${max} characters.`);
  if ([...keys, ...texts].some((text) => text.includes('\u0000') || !text.isWellFormed()))
    notes.push("Keys or values had characters that can't be stored.");
}

/** Corrects names like those of attachments in forms. The order and the number of attachments stay the same. */
function cleanAttachments(attachments: unknown, notes: string[]): unknown {
  if (!Array.isArray(attachments)) return attachments;
  const names: string[] = [];
  let isChanged = false;
  const clean = attachments.slice(0, MAX_ANNOUNCED).map((attachment: unknown) => {
    if (!isObject(attachment) || typeof attachment.name !== 'string') return attachment;
    const { name: sent, size } = attachment;
    const name = attachmentName(sent, names);
    names.push(name);
    isChanged ||= name !== sent;
    // The size is a hint, and the type is not used.
    return { name, ...(isNumber(size) && !Number.isNaN(size) && { size: wholeBytes(size) }) };
  });
  if (isChanged) notes.push('Names of attachments were corrected.');
  if (attachments.length > clean.length) notes.push(`Only the first ${MAX_ANNOUNCED} attachments were read.`);
  return clean;
}
