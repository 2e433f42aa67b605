// The one rule for addresses that developers configure, and that others open or the server calls: a fixed host, without a
// user name, and without characters that make it look like another address.
import { LINE_HIDDEN } from './text.ts';

/**
 * The authority has no user name, because `https://github.com@evil.example` looks like another site, and no braces or
 * percent signs, so that a placeholder cannot choose the host. Browsers read a backslash as a slash, other programs don't.
 */
export const WEB_ADDRESS_PATTERN = `^https?://[^\\s/?#@\\\\%{}<>"^|${LINE_HIDDEN}]+(?:[/?#][^\\s\\\\${LINE_HIDDEN}]*)?$`;

const WEB_ADDRESS = new RegExp(WEB_ADDRESS_PATTERN);

/** The parts of such an address; null for any other text. */
export function readWebAddress(text: string): URL | null {
  const url = WEB_ADDRESS.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '' ? url : null;
}

/** What a template needs, and what else it can have. */
export type Placeholders = {
  readonly names: readonly string[];
  readonly required: readonly string[];
  /** Names whose values can be anything. In a path, `..` would lead elsewhere, so they are only allowed behind `?` or `#`. */
  readonly anyText?: readonly string[];
};

/** What is wrong with a template of addresses, as the end of a sentence; null if it is valid. */
export function findTemplateProblem(template: string, { names, required, anyText = [] }: Placeholders): string | null {
  const missing = required.find((name) => !template.includes(`{${name}}`));
  if (missing !== undefined) return `must contain {${missing}}`;
  if (/[{}]/.test(fill(template, names, '1'))) return `has braces around something else than ${names.join(', ')}`;
  if (readWebAddress(template) === null)
    return 'must be an address that begins with https:// and a fixed host, without a user name';
  const early = anyText.find((name) => (template.split(/[?#]/, 1)[0] ?? '').includes(`{${name}}`));
  return early === undefined ? null : `must have {${early}} behind a ? or #`;
}

/**
 * The template with its host as browsers write it, in Punycode, so that what is shown is where it leads.
 */
export function tidyTemplate(template: string): string {
  const url = readWebAddress(template);
  const [, rest = ''] = /^https?:\/\/[^/?#]*(.*)$/s.exec(template) ?? [];
  return url === null ? template : url.origin + rest;
}

function fill(template: string, names: readonly string[], value: string): string {
  return names.reduce((filled, name) => filled.replaceAll(`{${name}}`, value), template);
}
