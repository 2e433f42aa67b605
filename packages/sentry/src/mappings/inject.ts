// Gives a script and its source map the same debug id, by which they are found whatever the script is called and wherever
// it is loaded from. The id comes from the content, so the same build has the same ids again. A line at the start of the
// script notes the id where Sentry's SDKs look for it, and comments have it for everything else.
import { MappingError } from './error.ts';
import { mappingFactsOf, uuid5 } from './mapping-facts.ts';

export type Injected = { readonly script: string; readonly map: string; readonly debugId: string };

/** The namespace of the ids. */
const NAMESPACE = 'b1a0cc3a-0d0b-4f0a-9a7e-6d1f3a4f7c52';

/**
 * The files with their debug id, which one of them may have already. `isChanged` is false if both have it.
 * Throws MappingError if the map isn't one.
 */
export function injectDebugId(script: string, map: string): Injected & { readonly isChanged: boolean } {
  const json = parseMap(map);
  const inScript = formatId(mappingFactsOf('script', Buffer.from(script)).debugId);
  const inMap = [json.debug_id, json.debugId].find((id) => typeof id === 'string') as string | undefined;
  const debugId = inScript || inMap || uuid5(NAMESPACE, Buffer.from(`${script}\0${map}`));
  if (inScript !== '' && inMap?.toLowerCase() === inScript) return { script, map, debugId, isChanged: false };
  const ids = { debug_id: debugId, debugId };
  if (inScript !== '') return { script, map: JSON.stringify({ ...json, ...ids }), debugId, isChanged: true };
  const line = script.startsWith('#!') ? 1 : 0;
  return {
    script: withComment(withLine(script, line, snippetOf(script, debugId)), debugId),
    map: JSON.stringify({ ...withShift(json, line), ...ids }),
    debugId,
    isChanged: true,
  };
}

/** `8531…` with dashes, in lower case; empty for an empty id. */
function formatId(debugId: string): string {
  const hex = debugId.slice(0, 32).toLowerCase();
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/**
 * Notes the id under the stack of the script, in which the SDK finds the address of the script. A directive must be first
 * in a script, so it is repeated.
 */
function snippetOf(script: string, debugId: string): string {
  const directive = /^(?:#![^\n]*\n)?\s*(?:\/\*[\s\S]{0,2000}?\*\/\s*)?(['"])use strict\1/.test(script)
    ? '"use strict";'
    : '';
  return `${directive}!function(){try{var g=typeof globalThis!="undefined"?globalThis:typeof window!="undefined"?window:self,s=(new Error).stack;if(s){(g._sentryDebugIds=g._sentryDebugIds||{})[s]="${debugId}"}}catch(e){}}();`;
}

/** Inserts a line before the one with this number. */
function withLine(script: string, before: number, line: string): string {
  const at = before === 0 ? 0 : script.indexOf('\n') + 1;
  return `${script.slice(0, at)}${line}\n${script.slice(at)}`;
}

/** The comment comes before that with the address of the map, which is to be the last one. */
function withComment(script: string, debugId: string): string {
  const comment = `//# debugId=${debugId}\n`;
  const at = script.search(/^\/\/[#@] sourceMappingURL=[^\n]*\s*$/m);
  const isLast = at >= 0 && script.indexOf('\n', at) >= script.trimEnd().length - 1;
  if (at >= 0 && (isLast || script.indexOf('\n', at) < 0)) return `${script.slice(0, at)}${comment}${script.slice(at)}`;
  return `${script}${script.endsWith('\n') ? '' : '\n'}${comment}`;
}

type Json = Record<string, unknown>;

function parseMap(text: string): Json {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\ufeff/, '').replace(/^\)\]\}'[^\n]*\n/, ''));
  } catch (cause) {
    throw new MappingError('it is not valid JSON', { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new MappingError('it is not a source map');
  if (!('mappings' in json) && !('sections' in json)) throw new MappingError('it has no mappings');
  return json as Json;
}

/** The map after an empty line was inserted before the line with this number. */
function withShift(map: Json, before: number): Json {
  if (Array.isArray(map.sections)) {
    const sections = (map.sections as { offset?: { line?: number } }[]).map((section) => {
      const line = section.offset?.line ?? 0;
      return line < before ? section : { ...section, offset: { ...section.offset, line: line + 1 } };
    });
    return { ...map, sections };
  }
  const mappings = String(map.mappings);
  const end = mappings.indexOf(';');
  const at = before === 0 ? 0 : end < 0 ? mappings.length : end;
  return { ...map, mappings: `${mappings.slice(0, at)};${mappings.slice(at)}` };
}
