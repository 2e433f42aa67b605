// Shows results of the search below its box while the visitor types, as a combobox (WAI-ARIA Authoring Practices). They
// come from the search page, which the form opens without JavaScript.
import { focusOnSlash } from '../browser.ts';

const PAUSE_MS = 120;
const SHOWN = 8;

export function suggestResults(): void {
  const box = document.querySelector<HTMLInputElement>('.search input');
  if (box === null) return;
  const list = document.createElement('ul');
  list.id = 'results';
  list.role = 'listbox';
  list.ariaLabel = 'Results';
  list.hidden = true;
  box.after(list);
  box.setAttribute('role', 'combobox');
  box.setAttribute('aria-controls', list.id);
  box.setAttribute('aria-autocomplete', 'list');
  const search = createSearch(box, list);
  box.addEventListener('input', search.start);
  box.addEventListener('focus', search.start);
  box.addEventListener('keydown', (event) => handleKey(event, search));
  box.addEventListener('blur', search.close);
  // A click would take the focus away from the box first, which closes the list.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  search.close();
  focusOnSlash(() => box);
}

type Search = {
  start(): void;
  close(): void;
  /** Marks the next or previous result. */
  move(step: 1 | -1): void;
  marked(): HTMLAnchorElement | null;
};

function createSearch(box: HTMLInputElement, list: HTMLUListElement): Search {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  const mark = (option: Element | undefined) => {
    for (const each of list.querySelectorAll('a[role="option"]')) each.ariaSelected = String(each === option);
    if (option === undefined) return box.removeAttribute('aria-activedescendant');
    box.setAttribute('aria-activedescendant', option.id);
    option.scrollIntoView({ block: 'nearest' });
  };
  const show = (isOpen: boolean) => {
    list.hidden = !isOpen;
    box.ariaExpanded = String(isOpen);
    mark(undefined);
  };
  const run = async () => {
    running = new AbortController();
    const items = await findItems(box.value, running.signal).catch(() => null);
    // The request was aborted, or there is no connection. The form still works.
    if (items === null) return;
    list.replaceChildren(...(items.length > 0 ? items : [createNote('No results')]));
    show(true);
  };
  const stop = () => {
    clearTimeout(timer);
    running?.abort();
  };
  return {
    start() {
      stop();
      if (box.value.trim() === '') show(false);
      else timer = setTimeout(run, PAUSE_MS);
    },
    close() {
      stop();
      show(false);
    },
    move(step) {
      if (list.hidden) return;
      const options = [...list.querySelectorAll('a[role="option"]')];
      const at = options.findIndex((option) => option.ariaSelected === 'true');
      mark(options.at(at === -1 && step === -1 ? -1 : (at + step) % options.length));
    },
    marked: () => (list.hidden ? null : list.querySelector('[aria-selected="true"]')),
  };
}

function handleKey(event: KeyboardEvent, search: Search): void {
  if (event.key === 'ArrowDown') search.move(1);
  else if (event.key === 'ArrowUp') search.move(-1);
  else if (event.key === 'Escape') search.close();
  else if (event.key === 'Enter' && search.marked() !== null) search.marked()?.click();
  else return;
  event.preventDefault();
}

/** Says in the list that it has no results. */
function createNote(text: string): HTMLLIElement {
  const item = document.createElement('li');
  item.role = 'option';
  item.ariaDisabled = 'true';
  item.textContent = text;
  return item;
}

/** Returns the results as items of a list, each with a link that is an option. */
async function findItems(query: string, signal: AbortSignal): Promise<HTMLLIElement[]> {
  const response = await fetch(`/docs/search?${new URLSearchParams({ q: query })}`, {
    headers: { accept: 'text/html' },
    signal,
  });
  if (!response.ok) throw new Error(`The search returned ${response.status}.`);
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const items = [...page.querySelectorAll<HTMLLIElement>('[data-results] > li')].slice(0, SHOWN);
  for (const [index, item] of items.entries()) {
    const option = item.querySelector('a');
    if (option === null) continue;
    item.role = 'presentation';
    option.id = `result-${index}`;
    option.role = 'option';
    // The list has one place in the tab order, its box.
    option.tabIndex = -1;
  }
  return items;
}
