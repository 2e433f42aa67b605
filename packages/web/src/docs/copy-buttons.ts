// Adds a button to each block of code that copies it.
import { writeClipboard } from '../public/clipboard.ts';

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
  const isCopied = await writeClipboard(text);
  button.textContent = isCopied ? 'Copied' : 'Copy failed';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, FEEDBACK_MS);
}
