// Finds symbolic links that cannot be followed to an end: loops, and folders that contain themselves through a link.
import { foldPath } from './file-names.ts';
import type { Os } from './identity.ts';

/** A symbolic link: both paths have `/` between their parts, and `..` only at the front of the target. */
export type Link = { readonly path: string; readonly target: string };

export type BadLink = { readonly path: string; readonly problem: string };

/** Links that Linux follows for one path before it gives up (path_resolution(7)). */
const MAX_HOPS = 40;
/** Characters of paths that are looked up for all links: thousands of times what a game needs, and a second’s work. */
const MAX_WORK = 100_000_000;

const LOOP = 'leads back to itself';
const CONTAINS_ITSELF = 'leads to a folder that contains the link';
const TOO_MANY = `leads through more than ${MAX_HOPS} other links`;

/** Where a link ends, without links on the way, and how many were on the way. */
type End = { readonly place: string; readonly hops: number };

class LoopError extends Error {
  override readonly name = 'LoopError';
}

/** The first of the links that has no end, or whose end contains it; null when all are fine. No link may be below another one. */
export function findLinkLoop(links: readonly Link[], os?: Os): BadLink | null {
  const targets = new Map(links.map(({ path, target }) => [stepsOf(path, os).join('/'), target]));
  const ends = new Map<string, End | 'under way'>();
  let work = 0;
  let underWay = 0;

  function endOf(place: string, target: string): End {
    const known = ends.get(place);
    if (known === 'under way') throw new LoopError(LOOP);
    if (known !== undefined) return known;
    // Nobody follows a chain further, so neither does this: it would end with the stack.
    if (underWay >= MAX_HOPS) throw new LoopError(TOO_MANY);
    ends.set(place, 'under way');
    underWay += 1;
    const end = follow(place.split('/').slice(0, -1), stepsOf(target, os));
    underWay -= 1;
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
