// Keeps the focus near where it was when the element that has it is removed, such as the button of a row that was
// deleted, or disabled, such as a button while it works. Otherwise the next press of Tab would begin at the top of the
// page.

/** Where an element is, so that it is found even if rows were removed in the meantime. */
type FocusPosition = {
  readonly element: Element;
  /** The elements around it, from the closest one to the whole page. */
  readonly ancestors: readonly Element[];
  /** The controls before it, the closest first. */
  readonly before: readonly HTMLElement[];
  readonly table: Element | null;
  readonly row: number;
};

/** Covers the whole page, including elements that are added later. */
export function keepFocus(page: Document): void {
  let position: FocusPosition | null = null;
  page.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) position = positionOf(target);
  });
  // Someone has clicked on something that takes no focus, or has closed the keyboard of a phone.
  page.addEventListener('focusout', ({ target }) =>
    queueMicrotask(() => {
      if (target === position?.element && position.element.isConnected && !position.element.matches(':disabled'))
        position = null;
    }),
  );
  page.addEventListener('pointerdown', () => {
    position = null;
  });
  const check = () => {
    if (position === null || page.activeElement !== page.body) return;
    const { element } = position;
    const near = element.isConnected ? element : findNear(position);
    if (near instanceof HTMLElement && !near.matches(':disabled')) near.focus({ preventScroll: true });
  };
  new MutationObserver(check).observe(page.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}

function positionOf(element: Element): FocusPosition {
  const ancestors: Element[] = [];
  for (let up = element.parentElement; up !== null; up = up.parentElement) ancestors.push(up);
  const controls = [...document.querySelectorAll<HTMLElement>(FOCUSABLE)];
  const at = controls.indexOf(element as HTMLElement);
  const before = controls.slice(Math.max(0, at - MAX_BEFORE), Math.max(0, at)).toReversed();
  const row = element.closest('tbody tr');
  const table = row?.closest('table') ?? null;
  return {
    element,
    ancestors,
    before,
    table,
    row: row === null ? 0 : [...(row.parentElement?.children ?? [])].indexOf(row),
  };
}

const MAX_BEFORE = 20;
const FOCUSABLE =
  'a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex="0"]';

/** The row that took the place of the removed one, or else the closest control, or the content of the page. */
function findNear({ table, row, ancestors, before }: FocusPosition): HTMLElement | null {
  const rows = table?.isConnected === true ? [...table.querySelectorAll('tbody tr')] : [];
  const next = rows[Math.min(row, rows.length - 1)]?.querySelector<HTMLElement>(FOCUSABLE);
  if (next != null) return next;
  const content = document.getElementById('content');
  const around = ancestors.filter((each) => each.isConnected && each !== content && !each.contains(content));
  for (const each of around) {
    const control = before.find((other) => each.contains(other)) ?? each.querySelector<HTMLElement>(FOCUSABLE);
    if (control !== null) return control;
  }
  return content;
}
