// Keeps the state of a form whose fields come and go, such as rows that were added, while the site reloads by itself. The form
// starts with it when the page is opened again in the same tab.
import { useEffect, useState } from 'react';

const KEPT = 'drafts';

type Drafts = Readonly<Record<string, unknown>>;

/** What to keep of each form on the screen, by its name. */
const forms = new Map<string, () => unknown>();

/** Called before the site reloads. `path` is that of the page on the screen. */
export function keepDrafts(path: string): void {
  const drafts = Object.fromEntries([...forms].map(([name, read]) => [name, read()]));
  writeDrafts(path, drafts);
}

/**
 * What was kept of the form of this name; undefined if there is nothing, so that it starts as usual. It may come from an
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

/** `read` returns what would be lost by a reload, or undefined. */
export function useKeepDraft<Draft>(name: string, read: () => Draft | undefined): void {
  useEffect(() => {
    forms.set(name, read);
    return () => void forms.delete(name);
  }, [name, read]);
}

function readDrafts(): Drafts {
  const text = sessionStorage.getItem(KEPT);
  const kept = text === null ? null : (JSON.parse(text) as { path: string; drafts: Drafts });
  return kept?.path === location.pathname ? kept.drafts : {};
}

function writeDrafts(path: string, drafts: Drafts): void {
  if (Object.values(drafts).some((draft) => draft !== undefined))
    sessionStorage.setItem(KEPT, JSON.stringify({ path, drafts }));
  else sessionStorage.removeItem(KEPT);
}
