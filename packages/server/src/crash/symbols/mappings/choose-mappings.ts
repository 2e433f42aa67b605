// Chooses the files that lead the scripts of a report to their sources: by the debug id of a script, which is in the
// report or in the script, or by its address in the build or release.
import { baseOf, urlCandidates } from '@chauffeur/sentry/mappings/script-url';
import type { FoundMapping } from './mappings.sql.ts';

/** A script that a frame is in. */
export type ScriptPlace = {
  /** The URL or path as the browser says it. */
  readonly place: string;
  /** Empty if the report doesn't say one. */
  readonly debugId: string;
};

export type ChosenMapping = {
  /** Null if the map is in the script. */
  readonly map: FoundMapping | null;
  readonly script: FoundMapping | null;
};

/** Null if there is no map for the script. `found` has the files of the build first. */
export function chooseMapping(
  { place, debugId }: ScriptPlace,
  found: readonly FoundMapping[],
  dist: string,
): ChosenMapping | null {
  const maps = found.filter(({ kind }) => kind === 'source_map');
  const scripts = found.filter(({ kind }) => kind === 'script');
  if (debugId !== '') {
    const byId = (of: readonly FoundMapping[]) => of.find((each) => each.debug_id === debugId) ?? null;
    const [map, script] = [byId(maps), byId(scripts)];
    if (map !== null || (script !== null && hasOwnMap(script))) return { map, script };
  }
  const candidates = urlCandidates(place);
  for (const url of [...candidates, ...soleUrl(candidates.at(-1), found)]) {
    const at = (of: readonly FoundMapping[], wanted: string) => {
      const same = of.filter((each) => each.url === wanted);
      return same.find((each) => each.dist === dist) ?? same.find((each) => each.dist === '') ?? soleOf(same, dist);
    };
    const script = at(scripts, url);
    if (script !== null && hasOwnMap(script)) return { map: null, script };
    const map =
      (script === null || script.debug_id === '' ? null : maps.find((each) => each.debug_id === script.debug_id)) ??
      (script === null || script.map_url === '' ? null : at(maps, script.map_url)) ??
      at(maps, `${url}.map`);
    if (map !== null) return { map, script };
  }
  return null;
}

/**
 * The newest file of another distribution. If the report says which one it is of, all files must have the same content,
 * because others may be of another program.
 */
function soleOf(same: readonly FoundMapping[], dist: string): FoundMapping | null {
  const [first = null] = same;
  return dist === '' || same.every((each) => each.blob_key === first?.blob_key) ? first : null;
}

/** The script of this name, if the build has only one: the folder that was uploaded may have others above it. */
function soleUrl(bare: string | undefined, found: readonly FoundMapping[]): string[] {
  if (bare === undefined) return [];
  const end = bare.slice(1);
  const urls = found
    .filter(({ build_id: buildId }) => buildId !== null)
    .map(({ url }) => url.replace(/\.map$/, ''))
    .filter((url) => url.endsWith(end));
  const distinct = [...new Set(urls)];
  return distinct.length === 1 ? distinct : [];
}

function hasOwnMap({ url, map_url: mapUrl }: FoundMapping): boolean {
  return url !== '' && mapUrl === url;
}

type Search = { readonly debugIds: string[]; readonly urls: string[]; readonly names: string[] };

/** What has to be searched for these scripts. Of a script that is found, its map is searched next. */
export function searchFor(places: readonly ScriptPlace[]): Search {
  const urls = places.flatMap(({ place }) => urlCandidates(place));
  return {
    debugIds: [...new Set(places.map(({ debugId }) => debugId).filter(Boolean))],
    urls: [...new Set(urls.flatMap((url) => [url, `${url}.map`]))],
    names: [...new Set(urls.map(baseOf).flatMap((name) => [name, `${name}.map`]))],
  };
}

/** The ids and addresses of maps that scripts name and that weren't searched yet. */
export function searchForMaps(found: readonly FoundMapping[], { debugIds, urls }: Search): Search {
  const scripts = found.filter(({ kind }) => kind === 'script');
  return {
    debugIds: [...new Set(scripts.map((each) => each.debug_id))].filter((id) => id !== '' && !debugIds.includes(id)),
    urls: [...new Set(scripts.map((each) => each.map_url))].filter((url) => url !== '' && !urls.includes(url)),
    names: [],
  };
}
