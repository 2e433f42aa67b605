// Keeps what was typed into the fields of a page and chosen in its forms while the site reloads automatically, and puts
// it back when the page is opened again in the same tab. Passwords are never kept. Forms whose fields come and go, such
// as rows that were added, keep their state as a draft instead, and start with it.
import { useEffect, useState } from 'react';

const KEPT_TYPED = 'typed';
/** A choice outside a form isn't kept, because it takes effect at once. */
const FIELDS = 'input, textarea, form select';
const BOXES = new Set(['checkbox', 'radio']);
const SKIPPED = new Set(['password', 'file', 'hidden', 'submit', 'button']);

type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
type Kept = { readonly path: string; readonly values: Readonly<Record<string, string>> };

/** The path of the page on the screen, which is still the previous one while the next is loading. */
let shownPath = location.pathname;

/** The fields that someone changed. */
const changed = new WeakSet<EventTarget>();
document.addEventListener('input', ({ target }) => target !== null && changed.add(target), { capture: true });

/** Fills fields of the page on the screen as they appear. */
let observer: MutationObserver | undefined;

export function keepTyped(): void {
  keepDrafts(shownPath);
  const filled = fieldsOf(document).filter(
    ([, field]) => changed.has(field) || (isTextField(field) && field.value !== ''),
  );
  if (filled.length === 0) return;
  const values = Object.fromEntries(filled.map(([name, field]) => [name, readValue(field)]));
  const kept: Kept = { path: shownPath, values };
  sessionStorage.setItem(KEPT_TYPED, JSON.stringify(kept));
}

/**
 * Called whenever a page is shown. Its fields may appear later, once their data is loaded or someone scrolls to them.
 */
export function restoreTyped(path: string): void {
  observer?.disconnect();
  shownPath = path;
  const text = sessionStorage.getItem(KEPT_TYPED);
  const kept = text === null ? null : (JSON.parse(text) as Kept);
  if (kept === null || kept.path !== path) return;
  sessionStorage.removeItem(KEPT_TYPED);
  const missing = new Map(Object.entries(kept.values));
  const fill = () => {
    for (const [name, field] of fieldsOf(document)) {
      const value = missing.get(name);
      if (value === undefined || !hasOption(field, value)) continue;
      missing.delete(name);
      writeValue(field, value);
    }
    if (missing.size === 0) observer?.disconnect();
  };
  observer = new MutationObserver(fill);
  observer.observe(document.body, { childList: true, subtree: true });
  fill();
}

/** Names each field by its form, its label, and its number among those of the same name. */
function fieldsOf(page: Document): [name: string, field: Field][] {
  const counts = new Map<string, number>();
  return [...page.querySelectorAll<Field>(FIELDS)]
    .filter((field) => !SKIPPED.has(field.type) && (!isBox(field) || field.form !== null))
    .map((field) => {
      const form = field.closest('form')?.getAttribute('aria-label') ?? '';
      const label = field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? field.name;
      const name = JSON.stringify([form, label]);
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return [`${name} ${count}`, field];
    });
}

function isBox(field: Field): field is HTMLInputElement {
  return BOXES.has(field.type);
}

function isTextField(field: Field): boolean {
  return !isBox(field) && !(field instanceof HTMLSelectElement);
}

function readValue(field: Field): string {
  return isBox(field) ? String(field.checked) : field.value;
}

/** False while the options of a choice are still loading. */
function hasOption(field: Field, value: string): boolean {
  return !(field instanceof HTMLSelectElement) || [...field.options].some((option) => option.value === value);
}

/** Changes the value in a way that React notices. */
function writeValue(field: Field, value: string): void {
  if (readValue(field) === value) return;
  if (isBox(field)) {
    field.click();
    return;
  }
  const prototype = Object.getPrototypeOf(field) as Field;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
  for (const type of ['input', 'change']) field.dispatchEvent(new Event(type, { bubbles: true }));
}

const KEPT_DRAFTS = 'drafts';

type Drafts = Readonly<Record<string, unknown>>;

/** What to keep of each form on the screen, by its name. */
const forms = new Map<string, () => unknown>();

/** Called before the site reloads. `path` is that of the page on the screen. */
function keepDrafts(path: string): void {
  const drafts = Object.fromEntries([...forms].map(([name, read]) => [name, read()]));
  writeDrafts(path, drafts);
}

/**
 * The draft of the form of this name; undefined without one, so that the form starts as usual. It may come from an
 * older version of the form, with other fields.
 */
export function useKeptDraft<Draft>(name: string): Partial<Draft> | undefined {
  const [kept] = useState(() => readDrafts()[name] as Partial<Draft> | undefined);
  useEffect(() => {
    const { [name]: taken, ...others } = readDrafts();
    if (taken !== undefined) writeDrafts(location.pathname, others);
  }, [name]);
  return kept;
}

/** Keeps a draft of the form. `read` returns what a reload would lose, or undefined. */
export function useKeepDraft<Draft>(name: string, read: () => Draft | undefined): void {
  useEffect(() => {
    forms.set(name, read);
    return () => void forms.delete(name);
  }, [name, read]);
}

function readDrafts(): Drafts {
  const text = sessionStorage.getItem(KEPT_DRAFTS);
  const kept = text === null ? null : (JSON.parse(text) as { path: string; drafts: Drafts });
  return kept?.path === location.pathname ? kept.drafts : {};
}

function writeDrafts(path: string, drafts: Drafts): void {
  if (Object.values(drafts).some((draft) => draft !== undefined))
    sessionStorage.setItem(KEPT_DRAFTS, JSON.stringify({ path, drafts }));
  else sessionStorage.removeItem(KEPT_DRAFTS);
}
