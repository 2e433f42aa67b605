// Adds a button to each block of code that copies it.

const FEEDBACK_MS = 1500;

export function addCopyButtons(): void {
  for (const block of document.querySelectorAll('[data-code]')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = 'Copy';
    button.dataset.copy = '';
    button.addEventListener('click', () => copy(button, block.querySelector('code')?.textContent ?? ''));
    block.append(button);
  }
}

async function copy(button: HTMLButtonElement, text: string): Promise<void> {
  // Browsers have no clipboard where a server is reached by plain HTTP.
  const isCopied = await Promise.resolve()
    .then(() => navigator.clipboard.writeText(text))
    .then(
      () => true,
      () => false,
    );
  button.textContent = isCopied ? 'Copied' : 'Copy failed';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, FEEDBACK_MS);
}
