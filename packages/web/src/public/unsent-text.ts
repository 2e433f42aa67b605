// Asks before a page is left on which a text was typed and not sent, such as a report to the operators.

export function keepUnsentText(): void {
  // Not before something is typed: the listener keeps some browsers from going back to a page without loading it.
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLTextAreaElement) addEventListener('beforeunload', askIfTyped);
  });
  document.addEventListener('submit', () => removeEventListener('beforeunload', askIfTyped));
}

function askIfTyped(event: BeforeUnloadEvent): void {
  const texts = [...document.querySelectorAll('textarea')];
  if (texts.some(({ value }) => value.trim() !== '')) event.preventDefault();
}
