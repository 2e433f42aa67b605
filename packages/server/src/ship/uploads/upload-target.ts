// Reads the build, platform and checksum from the text fields of an upload.
import { type ApiError, errors } from '@chauffeur/contract/errors';
import {
  ArchInput,
  type BuildIdentity,
  ChannelName,
  ChecksumInput,
  canonicalArch,
  canonicalChecksum,
  canonicalOs,
  OsInput,
  type Platform,
} from '@chauffeur/contract/identity';
import { LIMITS } from '@chauffeur/contract/limits';
import { UPLOAD_FORMATS, type UploadFormat } from '@chauffeur/contract/operations/uploads';
import { findProblem } from '@chauffeur/contract/validate';
import Type from 'typebox';
import { isUuid } from '../../kernel/secrets/ids.ts';
import type { Fields } from '../../request/form.ts';
import { findFilenameProblem } from '../../request/text-rules.ts';

/** The build of an upload, by id or identity, and the platform and channel that its form names. */
export type UploadTarget = Platform & { channel: string; checksum: string; build: { buildId: string } | BuildIdentity };

const Form = Type.Object({ os: OsInput, arch: ArchInput, channel: ChannelName, checksum: ChecksumInput });

/**
 * Throws `missingBuildId` without a build, `invalidFile` for an invalid os, arch, channel or checksum, and
 * `unknownBuildOfFile` for a malformed build id.
 */
export function readTarget(fields: Fields): UploadTarget {
  const byId = fields.build_id !== undefined && fields.build_id !== '';
  if (!byId && !(fields.build && fields.build_type && fields.version)) throw errors.missingBuildId();
  const problem = findProblem(Form, { ...fields });
  if (problem !== null) throw errors.invalidFile(problem);
  const { os = '', arch = '', channel = '', checksum = '', version = '', build_type = '' } = fields;
  const platform = { os: canonicalOs(os), arch: canonicalArch(arch), channel };
  if (!byId) {
    return {
      ...platform,
      checksum: canonicalChecksum(checksum),
      build: { version: version.trim(), build_type, ...platform },
    };
  }
  if (!isUuid(fields.build_id ?? ''))
    throw errors.unknownBuildOfFile('build_id: not a build id. Send the id that the registration returned.');
  return { ...platform, checksum: canonicalChecksum(checksum), build: { buildId: fields.build_id ?? '' } };
}

/** Whether every field that `readTarget` needs has arrived. Fields before the file part allow an early refusal. */
export function hasTargetFields(fields: Fields): boolean {
  const identified = 'build_id' in fields || ('build' in fields && 'build_type' in fields && 'version' in fields);
  return identified && ['os', 'arch', 'channel', 'checksum'].every((name) => name in fields);
}

/** Throws `invalidFile` if the form names another platform or channel than the registration of the build. */
export function requireSameTarget(target: UploadTarget, build: Platform & { channel: string }): void {
  for (const name of ['os', 'arch', 'channel'] as const) {
    if (target[name] !== build[name]) {
      throw errors.invalidFile(
        `${name}: the build is registered for ${build[name]}. Send that, or register another build.`,
      );
    }
  }
}

/** Returns a valid file name that ends in `.zip`; otherwise throws `unreadableForm` or `invalidFile`. */
export function readFilename(name = ''): string {
  const problem = findFilenameProblem(name);
  if (problem !== null) throw errors.unreadableForm(problem);
  if (!/\.zip$/i.test(name)) throw errors.invalidFile('filename: not a .zip. Send the build as a .zip.');
  return name;
}

/**
 * The announced bytes of a session. Throws `unreadableForm` unless it is a positive integer, and `tooLarge` over 5 GB.
 */
export function readTotalSize(text: string | undefined): number {
  if (text === undefined || !/^\d{1,15}$/.test(text) || Number(text) === 0) {
    throw errors.unreadableForm(
      `total_size: must be the size of the .zip in bytes, a whole number from 1 to ${LIMITS.fileBytes}.`,
    );
  }
  if (Number(text) > LIMITS.fileBytes) throw zipTooLarge();
  return Number(text);
}

/** What the chunks of a session are. Throws `unreadableForm` unless it is a known format. */
export function readFormat(text: string | undefined): UploadFormat {
  const format = UPLOAD_FORMATS.find((known) => known === (text ?? 'zip'));
  if (format === undefined) throw errors.unreadableForm(`format: must be ${UPLOAD_FORMATS.join(' or ')}.`);
  return format;
}

export function zipTooLarge(): ApiError {
  return errors.tooLarge(`The file is larger than 5 GB (${LIMITS.fileBytes} bytes). Split the build.`);
}
