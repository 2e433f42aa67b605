// The rules for the paths and links of a manifest: what they name is always inside the folder that it is unpacked into.
import { findWindowsProblem, foldPath } from '@chauffeur/contract/file-names';
import { findLinkLoop } from '@chauffeur/contract/link-loops';
import type { Os } from '@chauffeur/contract/platform-names';
import { hasHiddenCharacter } from '@chauffeur/contract/text';

/** No OS supports a longer path (PATH_MAX). */
export const MAX_PATH_BYTES = 4096;
export const MAX_TARGET_BYTES = 4096;

/** A file, a folder or a link of a tree. `target` is empty unless it is a link. */
export type Place = { readonly path: string; readonly type: 'file' | 'folder' | 'link'; readonly target: string };

/**
 * Why the places can't be unpacked into one folder on `os`, or null. The rules are those of the server for the entries of a
 * zip. Paths are separated by `/`, without a `/` at the end of folders. Call it with the OS of the player as well, if that
 * is not the one of the build.
 */
export function findPlaceProblem(places: readonly Place[], os: Os | undefined): string | null {
  const types = new Map<string, Place['type']>();
  const paths = new Set<string>();
  for (const { path, type, target } of places) {
    const problem = findPathProblem(path, os) ?? (type === 'link' ? findTargetProblem(path, target) : null);
    if (problem !== null) return `${quote(path)}: ${problem}`;
    const folded = foldPath(path, os);
    const other = types.get(folded);
    // Folders whose names differ only in case are one folder there, and nothing is lost.
    const isSameFolder = type === 'folder' && other === 'folder' && !paths.has(path);
    if (other !== undefined && !isSameFolder) return `${quote(path)}: another entry has the same path`;
    types.set(folded, type);
    paths.add(path);
  }
  const inside = findPlaceInFile(places, types, os);
  if (inside !== null) return inside;
  const loop = findLinkLoop(
    places.filter(({ type }) => type === 'link'),
    os,
  );
  return loop === null ? null : `${quote(loop.path)}: the link ${loop.problem}`;
}

function findPathProblem(path: string, os: Os | undefined): string | null {
  if (path === '') return 'the path is empty';
  if (Buffer.byteLength(path) > MAX_PATH_BYTES) return 'the path is too long';
  if (!path.isWellFormed() || path.includes('\uFFFD')) return 'the path is not UTF-8';
  if (hasHiddenCharacter(path)) return 'the path has a control character';
  if (path.includes('\\')) return 'the path has a backslash';
  if (/^[a-z]:/i.test(path)) return 'the path starts with a drive';
  const segments = path.split('/');
  if (segments.includes('')) return 'the path is absolute or has an empty segment';
  if (segments.includes('.') || segments.includes('..')) return 'the path has a segment . or ..';
  return os === 'windows' ? findWindowsProblem(path) : null;
}

/** A parent of a file is a folder, or isn't listed. Links as parents could lead out of the folder. */
function findPlaceInFile(
  places: readonly Place[],
  types: ReadonlyMap<string, Place['type']>,
  os: Os | undefined,
): string | null {
  const checked = new Set<string>();
  for (const { path } of places) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const parent = foldPath(path.slice(0, end), os);
      if (checked.has(parent)) break;
      checked.add(parent);
      if ((types.get(parent) ?? 'folder') !== 'folder') return `${quote(path)}: it is inside a file or a link`;
    }
  }
  return null;
}

/** `..` is only allowed at the front: after a folder that is itself a link, it leads somewhere else. */
function findTargetProblem(path: string, target: string): string | null {
  if (target === '') return 'the link leads nowhere';
  if (Buffer.byteLength(target) > MAX_TARGET_BYTES) return 'the target of the link is too long';
  if (!target.isWellFormed() || /[\\\uFFFD]/.test(target) || hasHiddenCharacter(target))
    return 'the target of the link has a character that can’t be used everywhere';
  if (/^(\/|[a-z]:)/i.test(target)) return 'the link has an absolute target';
  const steps = target.split('/').filter((step) => step !== '' && step !== '.');
  const descent = steps.findIndex((step) => step !== '..');
  const climbs = descent < 0 ? steps.length : descent;
  if (climbs >= path.split('/').length) return 'the link leaves the folder';
  return steps.lastIndexOf('..') > climbs ? 'the link has .. after a folder' : null;
}

/** Safe to print: a path may have any character here. */
function quote(path: string): string {
  return JSON.stringify(path.slice(0, 200));
}
