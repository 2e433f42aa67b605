// Keeps the focus near where it was when the element that had it is removed, such as the button of a row that was deleted.
// Otherwise the next press of Tab would begin at the top of the page.

/** Also found if rows were removed meanwhile. */
type Place = { readonly table: Element | null; readonly row: number };

/** Called when the focus is about to return to an element, which may be removed soon. */
export function keepFocus(element: Element | null): void {
  if (element === null || element === document.body) return;
  const place = placeOf(element);
  const observer = new MutationObserver(() => {
    if (element.isConnected) return;
    stop();
    // Someone may have moved on.
    if (document.activeElement === document.body) focusNear(place);
  });
  const stop = () => {
    observer.disconnect();
    removeEventListener('focusin', stopOnceMoved);
    removeEventListener('pointerdown', stop);
  };
  const stopOnceMoved = ({ target }: FocusEvent) => {
    if (target !== element) stop();
  };
  observer.observe(document.body, { childList: true, subtree: true });
  addEventListener('focusin', stopOnceMoved);
  addEventListener('pointerdown', stop);
}

function placeOf(element: Element): Place {
  const row = element.closest('tbody tr');
  const table = row?.closest('table') ?? null;
  return { table, row: row === null ? 0 : [...(row.parentElement?.children ?? [])].indexOf(row) };
}

const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), summary, [tabindex="0"]';

/** The row that took the place of the removed one, or else the content of the page. */
function focusNear({ table, row }: Place): void {
  const rows = table?.isConnected === true ? [...table.querySelectorAll('tbody tr')] : [];
  const next = rows[Math.min(row, rows.length - 1)]?.querySelector<HTMLElement>(FOCUSABLE);
  (next ?? document.getElementById('content'))?.focus({ preventScroll: next === undefined });
}
