// The key `/` moves to the search field.

export function addShortcut(): void {
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select') !== null;
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = [...document.querySelectorAll<HTMLInputElement>('[data-search]')].find((each) =>
      each.checkVisibility(),
    );
    if (box === undefined) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}
