// Finds symbolic links that never end: loops, and links to a folder that contains them.
import { foldPath } from './file-names.ts';
import type { Os } from './identity.ts';

/** A symbolic link. Both paths are separated by `/`, and `..` appears only at the start of the target. */
export type Link = { readonly path: string; readonly target: string };

export type BadLink = { readonly path: string; readonly problem: string };

/** The number of links that Linux follows for one path (path_resolution(7)). */
const MAX_HOPS = 40;
/** Total length of the paths looked up for all links. A game needs a fraction of it, and it takes about a second. */
const MAX_WORK = 100_000_000;

const LOOP = 'leads back to itself';
const CONTAINS_ITSELF = 'leads to a folder that contains the link';
const TOO_MANY = `leads through more than ${MAX_HOPS} other links`;

/** The place a link resolves to, which contains no links, and the number of links followed. */
type End = { readonly place: string; readonly hops: number };

class LoopError extends Error {
  override readonly name = 'LoopError';
}

/**
 * The first link that cannot be resolved, or that points to a folder containing it; null if there is none. No link may
 * be inside another one.
 */
export function findLinkLoop(links: readonly Link[], os?: Os): BadLink | null {
  const targets = new Map(links.map(({ path, target }) => [stepsOf(path, os).join('/'), target]));
  const ends = new Map<string, End | 'pending'>();
  let work = 0;
  let pending = 0;

  function endOf(place: string, target: string): End {
    const resolved = ends.get(place);
    if (resolved === 'pending') throw new LoopError(LOOP);
    if (resolved !== undefined) return resolved;
    // A longer chain cannot be followed on Linux anyway, and could overflow the stack here.
    if (pending >= MAX_HOPS) throw new LoopError(TOO_MANY);
    ends.set(place, 'pending');
    pending += 1;
    const end = follow(place.split('/').slice(0, -1), stepsOf(target, os));
    pending -= 1;
    ends.set(place, end);
    return end;
  }

  function follow(from: readonly string[], target: readonly string[]): End {
    const climbs = target.lastIndexOf('..') + 1;
    let place = from.slice(0, Math.max(0, from.length - climbs)).join('/');
    let hops = 1;
    for (const step of target.slice(climbs)) {
      place = place === '' ? step : `${place}/${step}`;
      work += place.length;
      if (work > MAX_WORK) throw new LoopError('belongs to links that are nested too deeply');
      const next = targets.get(place);
      if (next === undefined) continue;
      const end = endOf(place, next);
      place = end.place;
      hops += end.hops;
      if (hops > MAX_HOPS) throw new LoopError(TOO_MANY);
    }
    return { place, hops };
  }

  for (const { path } of links) {
    const place = stepsOf(path, os).join('/');
    try {
      const { place: end } = endOf(place, targets.get(place) ?? '');
      if (`${place}/`.startsWith(end === '' ? '' : `${end}/`)) return { path, problem: CONTAINS_ITSELF };
    } catch (error) {
      if (!(error instanceof LoopError)) throw error;
      return { path, problem: error.message };
    }
  }
  return null;
}

function stepsOf(path: string, os: Os | undefined): string[] {
  return foldPath(path, os)
    .split('/')
    .filter((step) => step !== '' && step !== '.');
}
