// Keeps what was typed into the fields of a page while the site reloads by itself, and puts it back when the page is opened
// again in the same tab. Passwords are never kept.

const KEPT = 'typed';
const WAIT_MS = 10_000;
const FIELDS = 'input, textarea';
const SKIPPED = new Set(['password', 'checkbox', 'radio', 'file', 'hidden', 'submit', 'button']);

type Field = HTMLInputElement | HTMLTextAreaElement;
type Kept = { readonly path: string; readonly values: Readonly<Record<string, string>> };

/** The path of the page on the screen, which is still the previous one while the next is loading. */
let shownPath = location.pathname;

export function keepTyped(): void {
  const filled = fieldsOf(document).filter(([, { value }]) => value !== '');
  if (filled.length === 0) return;
  const kept: Kept = { path: shownPath, values: Object.fromEntries(filled.map(([name, { value }]) => [name, value])) };
  sessionStorage.setItem(KEPT, JSON.stringify(kept));
}

/** Called whenever a page is shown. Its fields may appear later, once its data is loaded. */
export function restoreTyped(path: string): void {
  shownPath = path;
  const text = sessionStorage.getItem(KEPT);
  const kept = text === null ? null : (JSON.parse(text) as Kept);
  if (kept === null || kept.path !== path) return;
  sessionStorage.removeItem(KEPT);
  const missing = new Map(Object.entries(kept.values));
  const fill = () => {
    for (const [name, field] of fieldsOf(document)) {
      const value = missing.get(name);
      if (value === undefined) continue;
      missing.delete(name);
      type(field, value);
    }
    if (missing.size === 0) observer.disconnect();
  };
  const observer = new MutationObserver(fill);
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), WAIT_MS);
  fill();
}

/** Names each field by its form, its label, and its number among those of the same name. */
function fieldsOf(page: Document): [name: string, field: Field][] {
  const counts = new Map<string, number>();
  return [...page.querySelectorAll<Field>(FIELDS)]
    .filter((field) => !SKIPPED.has(field.type))
    .map((field) => {
      const form = field.closest('form')?.getAttribute('aria-label') ?? '';
      const label = field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? field.name;
      const name = JSON.stringify([form, label]);
      const count = counts.get(name) ?? 0;
      counts.set(name, count + 1);
      return [`${name} ${count}`, field];
    });
}

/** Sets the value in the way that React notices. */
function type(field: Field, value: string): void {
  const prototype = field instanceof HTMLInputElement ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
