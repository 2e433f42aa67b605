// addfiles.yml: which folder belongs to which build, written by setfiles, read by addfiles.
import { type BuildIdentity, canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { Registration } from '@chauffeur/contract/operations/builds';
import { Uuid } from '@chauffeur/contract/operations/fields';
import { LocalError } from '../failures.ts';
import { DEFAULT_CHANNEL } from './build-file.ts';
import { checkField, fieldsOf, parseYml, readIfPresent, textsOf, ymlOf } from './yml.ts';

/** `path` is relative to the file itself, or absolute; without `build_id` the identity finds the build. */
export type FilesDescriptor = BuildIdentity & { path: string; build_id?: string };

const NAMES = ['path', 'version', 'type', 'os', 'arch', 'channel', 'build_id'] as const;

/** The descriptor in `file`, checked, its os and arch in their canonical words. Rejects with LocalError. */
export async function readFilesFile(file: string): Promise<FilesDescriptor> {
  const text = await readIfPresent(file);
  if (text === null) throw new LocalError(`${file}: does not exist.`, 'Write it with chauffeur setfiles.');
  const texts = textsOf('files', fieldsOf(`${file}: files`, parseYml(file, text, 'files').files), NAMES);
  return checkedDescriptor(texts, 'files.');
}

/** Throws LocalError; `prefix` stands before the names of fields in it (`files.`, `--`). */
export function checkedDescriptor(
  texts: { [N in (typeof NAMES)[number]]?: string | undefined },
  prefix: string,
): FilesDescriptor {
  const { version, os, arch, channel, build_type } = Registration.properties;
  const { path = '', build_id } = texts;
  const channelName = texts.channel ?? DEFAULT_CHANNEL;
  const type = texts.type ?? 'game';
  if (path === '') throw new LocalError(`${prefix}path: missing.`, 'Give the folder that holds the game’s files.');
  checkField(`${prefix}version`, version, texts.version ?? '');
  checkField(`${prefix}os`, os, texts.os ?? '');
  checkField(`${prefix}arch`, arch, texts.arch ?? '');
  checkField(`${prefix}channel`, channel, channelName);
  checkField(`${prefix}type`, build_type, type);
  if (build_id !== undefined) checkBuildId(build_id);
  return {
    path,
    version: texts.version ?? '',
    build_type: type,
    os: canonicalOs(texts.os ?? ''),
    arch: canonicalArch(texts.arch ?? ''),
    channel: channelName,
    ...(build_id !== undefined && { build_id }),
  };
}

/** Throws LocalError unless `id` is a UUID. */
export function checkBuildId(id: string): void {
  checkField('build_id', Uuid, id);
}

export function newFilesFile({ build_type, path, ...rest }: FilesDescriptor): string {
  return ymlOf({ version: 'v1', spec: 'files', files: { path, type: build_type, ...rest } });
}
