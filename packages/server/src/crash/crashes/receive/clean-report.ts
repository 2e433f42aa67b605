// Cleans a report that a game sends as JSON: what is too long is cut, nested values become JSON, and characters that
// cannot be stored are removed. The game that crashed can't correct and repeat a report that is refused.
import { LIMITS } from '@chauffeur/contract/limits';
import { isLonger } from '@chauffeur/contract/validate';
import { isObject } from '../../../request/json.ts';
import { attachmentName } from '../report/attachments.ts';
import { addOmissions, clip, isReporterId, MAX_LENGTHS, metadataOf } from './forms/details.ts';

type Fields = Readonly<Record<string, unknown>>;

const REPORTER_IDS = ['device_uid', 'session_id'] as const;
const FLAGS = ['has_dump', 'has_log', 'anonymous'] as const;
/** Announced attachments that are read. Far fewer may be uploaded. */
const MAX_ANNOUNCED = 100;

/**
 * Returns the fields of a report as they can be stored, with sentences about what was changed in the metadata. Fields of
 * a wrong type are returned as they are. Null is the same as a missing field. A clean report is returned unchanged.
 */
export function cleanReport(body: Fields): Fields {
  const notes: string[] = [];
  const clean: Record<string, unknown> = {};
  for (const name of FLAGS) if (body[name] != null) clean[name] = body[name];
  for (const [name, max] of Object.entries(MAX_LENGTHS)) {
    const value = body[name];
    if (value != null)
      clean[name] = typeof value === 'string' || isNumber(value) ? cut(name, String(value), max, notes) : value;
  }
  const further: [string, unknown][] = [];
  for (const name of REPORTER_IDS) {
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
  const { metadata } = body;
  if (isObject(metadata)) further.push(...Object.entries(metadata));
  if (metadata != null && !isObject(metadata)) clean.metadata = metadata;
  else if (isObject(metadata) || notes.length > 0) {
    noteChanges(further, notes);
    clean.metadata = addOmissions(metadataOf(further, LIMITS.metadataKeys + REPORTER_IDS.length), notes);
  }
  return clean;
}

/** Numbers of JSON can be too large for a number here, and are then infinite. */
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

/** Corrects names as those of attachments in forms. Their order and number stay the same. */
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
