// addfiles.yml assigns a folder to a build. It is written by setfiles and read by addfiles.
import { dirname, isAbsolute, normalize, sep } from 'node:path';
import { type BuildIdentity, canonicalArch, canonicalOs } from '@chauffeur/contract/identity';
import { Registration } from '@chauffeur/contract/operations/builds';
import { Uuid } from '@chauffeur/contract/operations/fields';
import { LocalError } from '../failures.ts';
import { readIfPresent } from '../text-files.ts';
import { DEFAULT_CHANNEL } from './build-file.ts';
import {
  checkField,
  type FieldNames,
  type Fields,
  fieldsOf,
  listOf,
  parseYml,
  refuseEmpty,
  refuseUnknown,
  textsOf,
  ymlOf,
} from './yml.ts';

/** `path` is absolute or relative to the file. Without `build_id`, the build is found by its identity. */
export type FilesDescriptor = BuildIdentity & {
  path: string;
  build_id?: string;
  /** Only these files and folders of `path`; everything if undefined. */
  files?: readonly string[];
};

const NAMES = ['path', 'version', 'type', 'os', 'arch', 'channel', 'build_id'] as const;

const PARTS: FieldNames = { 'the file': ['version', 'spec', 'files'], files: NAMES };
const ADDFILES_PARTS: FieldNames = {
  'the file': ['version', 'spec', 'asset'],
  asset: [...NAMES, 'asset_type', 'title', 'description', 'engine_version', 'files', 'app'],
};

/** Reads and checks the descriptor in `file`, with canonical os and arch. Rejects with LocalError. */
export async function readFilesFile(file: string): Promise<FilesDescriptor> {
  const text = await readIfPresent(file);
  if (text === null) throw new LocalError(`${file} does not exist.`, 'Create it with chauffeur setfiles.');
  const root = parseYml(file, text, 'files', 'addfiles');
  if (root.spec === 'addfiles') return readAddfiles(file, root);
  refuseUnknown(`${file}: `, root, 'the file', PARTS);
  const fields = fieldsOf(`${file}: files`, root.files);
  refuseUnknown('files.', fields, 'files', PARTS);
  refuseEmpty('files', fields, NAMES);
  return checkedDescriptor(textsOf('files', fields, NAMES), 'files.');
}

/** Reads the format of the original public client: an `asset` that lists files and folders, each as `file: path`. */
function readAddfiles(file: string, root: Fields): FilesDescriptor {
  refuseUnknown(`${file}: `, root, 'the file', ADDFILES_PARTS);
  const asset = fieldsOf(`${file}: asset`, root.asset);
  refuseUnknown('asset.', asset, 'asset', ADDFILES_PARTS);
  refuseEmpty('asset', asset, [...NAMES, 'asset_type']);
  const { asset_type: oldType, ...texts } = textsOf('asset', asset, [...NAMES, 'asset_type']);
  const listed = listOf('asset.files', asset.files).map((item, index) => {
    const path = textsOf(`asset.files[${index}]`, fieldsOf(`asset.files[${index}]`, item), ['file']).file;
    if (path !== undefined) return path;
    throw new LocalError(`asset.files[${index}].file: missing.`, 'Add the path of a file or a folder.');
  });
  refuseOtherProgram(asset.app);
  if (listed.length === 0)
    throw new LocalError(`${file}: asset.files is empty.`, 'List the files or the folder of the build.');
  const descriptor = checkedDescriptor({ type: oldType, ...texts, path: folderOf(listed) }, 'asset.');
  return { ...descriptor, files: listed };
}

/** Throws LocalError for an app id, because a game has a single program. */
function refuseOtherProgram(app: unknown): void {
  const { id = '' } = app === undefined || app === '' ? {} : textsOf('asset.app', fieldsOf('asset.app', app), ['id']);
  if (id === '') return;
  throw new LocalError(
    `asset.app: ${JSON.stringify(id)} is another program, but a game has only one.`,
    'Remove app, or create a game for the other program and use its deploy key.',
  );
}

/** The innermost folder that contains all paths. */
function folderOf(paths: readonly string[]): string {
  const [first = [], ...others] = paths.map((path) => dirname(normalize(path)).split(sep));
  const shared = first.findIndex((part, index) => others.some((other) => other[index] !== part));
  return (shared < 0 ? first : first.slice(0, shared)).join(sep) || (paths.every(isAbsolute) ? sep : '.');
}

/** Checks a descriptor. Throws LocalError, which names fields with `prefix` (`files.`, `--`). */
export function checkedDescriptor(
  texts: { [N in (typeof NAMES)[number]]?: string | undefined },
  prefix: string,
): FilesDescriptor {
  const { version, os, arch, channel, build_type } = Registration.properties;
  const { path = '', build_id } = texts;
  const channelName = texts.channel ?? DEFAULT_CHANNEL;
  const type = texts.type ?? 'game';
  if (path === '') throw new LocalError(`${prefix}path: missing.`, "Use the folder with the game's files.");
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
